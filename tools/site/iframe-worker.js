// The search runs in a Worker, which browsers refuse to pages opened from disk; there a hidden frame stands in for it.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc =
        "<script>postMessage = data => frameElement.worker.answer(data)</script>" +
        `<script src="${new URL(url, location.href)}"></script>` +
        "<script>frameElement.worker.start()</script>";
      this.frame.worker = this;
      document.body.append(this.frame);
    }
    start() {
      this.started = true;
      this.waiting.splice(0).forEach(data => this.postMessage(data));
    }
    answer(data) {
      setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
    }
    postMessage(data) {
      if (this.started) this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
      else this.waiting.push(data);
    }
    terminate() {
      this.frame.remove();
    }
  };
}
