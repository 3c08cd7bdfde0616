// viridis and cividis (Nunez et al. 2018), which colour-blind people read as others do, and for differences PuOr: 33 colours
// of matplotlib's, evenly spaced; between them colours are linear. tests/watch compares them with matplotlib.

const COLOURS = {
  viridis:
    "440154470d6048186a482374472d7b4537814240863e49893b528b375b8d33638d2f6b8e2c728e297a8e26828e23898e" +
    "21918c1f988b1fa08822a78528ae8032b67a3fbc734ec36b5ec96270cf5784d44b98d83eaddc30c2df23d8e219ece51b" +
    "fde725",
  cividis:
    "00224e00285b002e6a0533711a386f273e6e32436d3b496c434e6c4b546c535a6d5a5f6e61656f686a716f7073767676" +
    "7d7c788482798c8878938e789b9476a39a74aba072b4a76fbcae6cc4b468cdbb63d5c25edec958e7d150f0d846f9e03a" +
    "fee838",
  PuOr:
    "7f3b088f4407a04d07b05606be630acd700edb7d12e68d23ef9e3cf8ae55fdbd6efdca88fed7a2fde2bbfbe9cff9f0e4" +
    "f6f6f7ededf3e3e4efd9dbebcecde4c2bedcb6b0d4a79fca988dbe887cb27967a66b4f9b5d379050238244176f380b5c" +
    "2d004b",
};

// 256 colours as [red, green, blue].
export function table(name) {
  const text = COLOURS[name];
  const anchors = Array.from({ length: text.length / 6 }, (_, k) =>
    [0, 2, 4].map((place) => parseInt(text.slice(6 * k + place, 6 * k + place + 2), 16)));
  return Array.from({ length: 256 }, (_, k) => {
    const place = (k / 255) * (anchors.length - 1);
    const low = Math.min(Math.floor(place), anchors.length - 2);
    return anchors[low].map((from, c) => Math.round(from + (place - low) * (anchors[low + 1][c] - from)));
  });
}
