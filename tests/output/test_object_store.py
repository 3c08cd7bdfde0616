"""Zarr stores on an object store: the same values as the NetCDF file of the run, whatever requests fail."""

import random
import re
import shutil
import time

import numpy as np
import pytest
import xarray as xr
from support.growing_store import LONG
from support.harness import attached, block_grid, field, inline, model, servers, tailrace
from support.reading import RUN_ATTRIBUTES, commits, read
from support.values import put_values, varying_times

pytest.importorskip("moto.server")
pytest.importorskip("obstore")

from support.object_store import (
    BUCKET,
    KEY_ID,
    REGION,
    SECRET,
    Fault,
    Moto,
    Proxy,
    environment,
    error_body,
    metadata,
)

SHAPE = (3, 7, 11)
VARIABLES = [
    {"field": "w", "name": "mean", "operation": "mean", "every": "3 s", "chunk": [1, 2, 4, 4]},
    {"field": "w", "name": "now", "every": "3 s", "chunk": [3, 2, 4, 11], "compression": "zstd"},
    {"field": "w", "name": "plain", "every": "3 s", "chunk": [5, 3, 5, 4], "compression": "none"},
    {"field": "total", "operation": "sum", "every": "3 s"},
    {"field": "orog", "every": "once"},
]
OPTIONS = {"write_every": "6 s", "compression": {"codec": "zlib", "level": 1}, "variables": VARIABLES}
TIMES = varying_times(18, seed=8)
SCENARIO = {
    "grids": [block_grid(shape=SHAPE)],
    "fields": [field("w", "les", how="strided"), field("total", how="acquire"), field("orog", "les", fixed=True)],
    "times": TIMES,
}


@pytest.fixture(scope="module")
def moto(tmp_path_factory):
    server = Moto(tmp_path_factory.mktemp("moto") / "log")
    yield server
    server.stop()


@pytest.fixture
def proxy(moto):
    one = Proxy(moto)
    yield one
    one.stop()


def configuration(name: str, **more) -> dict:
    """The same values in a store and in a file."""
    return {
        "model_time": {"calendar": "noleap", "start": "2001-02-03"},
        "fields": {
            "state": {"every": "1 step", "names": ["w", "total"]},
            "fixed": {"every": "once", "names": ["orog"]},
        },
        "output": {f"s3://{BUCKET}/{name}": OPTIONS | {"format": "zarr"} | more, "a.nc": OPTIONS},
    }


def assert_same(moto: Moto, name: str, file) -> None:
    """Names, dimensions, attributes and each bit of the values."""
    ours, theirs = moto.read(name), read(file)
    for data in (ours, theirs):
        data.attrs = {one: value for one, value in data.attrs.items() if one not in RUN_ATTRIBUTES}
    xr.testing.assert_identical(ours, theirs)
    for one, variable in theirs.variables.items():
        assert np.ascontiguousarray(ours.variables[one].values).tobytes() == variable.values.tobytes(), one


@pytest.mark.parametrize(
    ("ranks", "serving"), [(3, servers(2)), (2, attached()), (1, inline())], ids=["two", "attached", "inline"]
)
def test_same_values_as_netcdf(job, moto, ranks, serving):
    name = f"same/{ranks}.zarr"
    result = job(
        model(ranks, **SCENARIO), serving, config=configuration(name), environment=environment(moto.url)
    ).finished()
    assert_same(moto, name, result.path("a.nc"))
    promised = commits(result.folder)
    assert promised[f"s3://{BUCKET}/{name}"] == promised["a.nc"]
    alone = moto.group(name, use_consolidated=False)
    for one, variable in read(result.path("a.nc")).variables.items():
        np.testing.assert_array_equal(alone[one][...], variable.values)


def test_names_with_odd_characters(job, moto):
    name = "odd names/a+b &%41'ü<1>.zarr"
    result = job(
        model(1, **SCENARIO), inline(), config=configuration(name), environment=environment(moto.url)
    ).finished()
    assert_same(moto, name, result.path("a.nc"))


def test_requests_are_signed_as_botocore_signs_them(job, moto, proxy):
    auth = pytest.importorskip("botocore.auth")
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    token = "a/token=="
    settings = environment(proxy.url, AWS_SESSION_TOKEN=token)
    config = configuration("signed/a b+ü.zarr", if_exists="replace", zarr={"shard_size": "64 MiB"})
    for _ in range(2):  # the second one lists, and removes
        job(model(1, **SCENARIO), inline(), config=config, environment=settings).finished()
    assert {one.method for one in proxy.seen} == {"GET", "HEAD", "PUT", "DELETE"}
    for one in proxy.seen:
        sent = one.headers["authorization"]
        signed = re.search(r"SignedHeaders=([^,]*)", sent)[1].split(";")
        assert {"host", "x-amz-date", "x-amz-content-sha256", "x-amz-security-token"} <= set(signed)
        request = AWSRequest(
            method=one.method,
            url=proxy.url + one.path,
            headers={header: one.headers[header] for header in signed if header != "x-amz-security-token"},
        )
        request.context["timestamp"] = one.headers["x-amz-date"]
        signer = auth.S3SigV4Auth(Credentials(KEY_ID, SECRET, token), "s3", REGION)
        request.headers["x-amz-security-token"] = token
        text = signer.string_to_sign(request, signer.canonical_request(request))
        assert signer.signature(text, request) == sent.rpartition("Signature=")[2], (one.method, one.path)


def test_an_existing_store_is_replaced_only_by_name(job, moto):
    name = "exists.zarr"
    settings = environment(moto.url)
    job(model(1, **SCENARIO), inline(), config=configuration(name), environment=settings).finished()
    before = {key: moto.get(key) for key in moto.keys(name)}
    moto.put("exists.zarr2/other", b"a neighbour whose name begins alike")
    moto.put(f"{name}/stranger", b"an object of somebody within the store")
    refused = job(model(1, **SCENARIO), inline(), config=configuration(name), environment=settings)
    refused.failed_with(f"s3://{BUCKET}/{name}", "is not replaced by default", "if_exists: replace")
    assert {key: moto.get(key) for key in before} == before
    result = job(
        model(2, **SCENARIO), servers(1), config=configuration(name, if_exists="replace"), environment=settings
    ).finished()
    assert_same(moto, name, result.path("a.nc"))
    assert moto.has("exists.zarr2/other") and not moto.has(f"{name}/stranger")


def test_only_a_zarr_store_is_replaced(job, moto):
    for name, object_name in (("notes", "notes/a.txt"), ("json", "json/zarr.json")):
        moto.put(object_name, b'{"not": "of zarr"}')
        config = configuration(name, if_exists="replace")
        refused = job(model(1, **SCENARIO), inline(), config=config, environment=environment(moto.url))
        refused.failed_with(f"s3://{BUCKET}/{name}", "not a Zarr store")
        assert moto.get(object_name) == b'{"not": "of zarr"}' and len(moto.keys(name)) == 1


def test_jobs_append(job, moto):
    options = {"write_every": "4 s", "compression": "zlib", "if_exists": "append"}
    options["variables"] = [
        {"field": "w", "every": "2 s", "operation": "mean", "chunk": [7, 2, 7, 5]},
        {"field": "w", "every": "2 s", "operation": "max", "name": "high", "chunk": [3, 3, 7, 11]},
        {"field": "w", "every": "2 s", "name": "plain", "chunk": [4, 3, 7, 11], "compression": "none"},
    ]
    config = {
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {f"s3://{BUCKET}/grown.zarr": options | {"format": "zarr"}, "a.nc": options},
    }
    times = [float(i + 1) for i in range(30)]
    for begin, end in ((0, 9), (9, 21), (21, 30)):
        scenario = {"grids": [block_grid(shape=SHAPE)], "fields": [field("w", "les")], "times": times[begin:end]}
        result = job(
            model(2, **scenario, initial_time=float(begin)),
            servers(1),
            config=config,
            environment=environment(moto.url),
            folder=job.root / "grown",
        ).finished()
        assert_same(moto, "grown.zarr", result.path("a.nc"))


def test_a_run_in_pieces_goes_back_to_its_checkpoint(job, moto):
    """Records after the checkpoint are removed and written again, as in the file beside."""
    name, url = "pieces.zarr", f"s3://{BUCKET}/pieces.zarr"
    config = configuration(name, write_every="2 s") | {"checkpoint": {"every": "7 s", "fields": ["w"]}}
    config["output"]["a.nc"] = OPTIONS | {"write_every": "2 s"}
    times = varying_times(30, seed=5, shortest=0.4, longest=1.7)

    def play(ranks, steps, folder=None):
        player = model(ranks, **SCENARIO | {"times": times[:steps]}, checkpoints=True, got=["w"])
        return job(player, servers(1), config=config, environment=environment(moto.url), folder=folder).finished()

    first = play(3, 22)
    assert commits(first.folder)[url]
    second = play(2, 30, first.folder)
    assert "RESTARTED" in second.output
    assert_same(moto, name, second.path("a.nc"))
    elsewhere = job.root / "elsewhere"  # a copy of the run would change the store of the original
    shutil.copytree(first.folder, elsewhere)
    player = model(2, **SCENARIO | {"times": times}, checkpoints=True, got=["w"])
    copied = job(player, servers(1), config=config, environment=environment(moto.url), folder=elsewhere)
    copied.failed_with(url, "is a copy", "expected a copy of the file, or another path")


def test_faults_that_pass_change_nothing(job, moto, proxy):
    moments = random.Random(4)
    kinds = [
        Fault(status=503, body=error_body("SlowDown", "Reduce your request rate"), headers={"Retry-After": "0"}),
        Fault(status=500, body=error_body("InternalError", "We encountered an internal error")),
        Fault(status=429),
        Fault(resets=True),
        Fault(resets=True, passes=True),  # it was done, and nobody knows
        Fault(status=504, passes=True),
        Fault(waits=0.3),
    ]
    met = []

    def rule(number, seen):
        if moments.random() > 0.25:
            return None
        met.append(moments.choice(kinds))
        return met[-1]

    proxy.rule = rule
    result = job(
        model(2, **SCENARIO),
        servers(2),
        config=configuration("faults.zarr"),
        environment=environment(proxy.url),
        timeout=120,
    ).finished()
    assert len({id(fault) for fault in met}) > 4
    assert_same(moto, "faults.zarr", result.path("a.nc"))


def test_large_objects_are_sent_in_parts(job, moto, proxy):
    shape, uploads, joins = (5, 300, 701), [], []
    scenario = {
        "grids": [block_grid(shape=shape, coordinates=[])],
        "fields": [field("w", "les")],
        "times": [1.0, 2.0],
    }
    options = {"variables": [{"field": "w", "every": "2 s"}], "format": "zarr", "zarr": {"part_size": "5 MiB"}}
    config = {"fields": {"state": {"every": "1 step", "names": ["w"]}}}

    def rule(number, seen):
        if "partNumber=2" in seen.path and len(uploads) < 1:
            uploads.append(seen.path)
            return Fault(status=503)
        # The store answers 200, and tells later that it could not join the parts; then its answer is cut off.
        if seen.method == "POST" and "uploadId=" in seen.path and len(joins) < 2:
            joins.append(seen.path)
            body = error_body("InternalError", "Please try again.") if len(joins) == 1 else b"\n\n"
            return Fault(status=200, body=body, passes=len(joins) == 2)
        return None

    proxy.rule = rule
    store = config | {"output": {f"s3://{BUCKET}/parts.zarr": options}}
    job(model(2, **scenario), servers(1), config=store, environment=environment(proxy.url)).finished()
    assert uploads and any("partNumber=2" in one.path for one in proxy.seen)
    assert len(joins) == 2
    np.testing.assert_array_equal(moto.read("parts.zarr").w.values[0], put_values(0, shape, 2.0, 2))
    # A part that the store does not take: the upload is removed again.
    proxy.seen.clear()
    proxy.rule = lambda number, seen: Fault(status=403) if "partNumber=2" in seen.path else None
    store = config | {"output": {f"s3://{BUCKET}/no_parts.zarr": options}}
    refused = job(model(2, **scenario), servers(1), config=store, environment=environment(proxy.url))
    refused.failed_with("no_parts.zarr", "answered 403", "valid")
    assert [one.status for one in proxy.seen if one.method == "DELETE" and "uploadId=" in one.path] == [204]
    assert moto.read("no_parts.zarr").sizes["time"] == 0


def test_answers_without_an_etag(job, moto, proxy):
    """Those of puts are looked up; without any, nothing would keep two runs apart."""
    name, hidden = "etags.zarr", []

    def rule(number, seen):
        if seen.method != "PUT":
            return None
        hidden.append(seen.path)
        return Fault(hides="ETag")

    proxy.rule = rule
    settings = environment(proxy.url)
    result = job(model(1, **SCENARIO), inline(), config=configuration(name), environment=settings).finished()
    assert hidden
    assert_same(moto, name, result.path("a.nc"))
    before = {key: moto.get(key) for key in moto.keys(name)}
    proxy.rule = lambda number, seen: Fault(hides="ETag")
    for option in ("replace", "append"):
        config = configuration(name, if_exists=option)
        refused = job(model(1, **SCENARIO), inline(), config=config, environment=settings)
        refused.failed_with(f"s3://{BUCKET}/{name}", f"gave no ETag of {BUCKET}/{name}/zarr.json", "proxies")
    assert {key: moto.get(key) for key in moto.keys(name)} == before


def test_a_connection_that_is_lost_for_a_while(job, moto, proxy):
    """The model goes on: its steps do not wait for the store."""
    config = configuration("lost.zarr", zarr={"patience": "60 s"}, write_every="2 s")
    lost_until = []

    def rule(number, seen):
        if "/c/" in seen.path and not lost_until:
            lost_until.append(time.monotonic() + 4.0)
        return Fault(resets=True) if lost_until and time.monotonic() < lost_until[0] else None

    proxy.rule = rule
    scenario = SCENARIO | {"report_steps": True, "pace": 0.05}
    with job.start(model(2, **scenario), servers(1), config=config, environment=environment(proxy.url)) as running:
        proxy.wait_for(lambda seen: any("/c/" in one.path for one in seen))
        running.wait_for(f"STEP {len(TIMES)}\n")
        assert time.monotonic() < lost_until[0], "the model waited for the store"
        result = running.wait().finished()
    assert_same(moto, "lost.zarr", result.path("a.nc"))


@pytest.mark.parametrize("on_error", ["stop", "skip", "retry"])
def test_a_connection_that_does_not_come_back(job, moto, proxy, on_error):
    name = f"gone_{on_error}.zarr"
    more = {"on_error": on_error} | ({"retry_for": "30 s"} if on_error == "retry" else {})
    config = configuration(name, zarr={"patience": "2 s"}, write_every="2 s", **more)
    lost = []

    def rule(number, seen):
        if seen.method == "PUT" and "/now/c/" in seen.path and seen.path.endswith("/1/0/0/0"):
            lost.append(time.monotonic())
        is_lost = lost and (on_error != "retry" or time.monotonic() < lost[0] + 4.0)
        return Fault(resets=True) if is_lost else None

    proxy.rule = rule
    scenario = SCENARIO | {"report_steps": True}
    result = job(model(2, **scenario), servers(1), config=config, environment=environment(proxy.url))
    assert lost
    assert f"STEP {len(TIMES)}\n" in result.output  # the model went on
    if on_error == "stop":
        result.failed_with(f"s3://{BUCKET}/{name}", "gave no answer", "what was committed until")
    else:
        result.finished()
    if on_error == "retry":
        return assert_same(moto, name, result.path("a.nc"))
    data = moto.read(name)
    dim = data["now"].dims[0]
    promised = commits(result.folder)[f"s3://{BUCKET}/{name}"][dim]
    assert data.sizes[dim] == promised > 0
    if on_error == "skip":  # what is there is as in the file
        whole = read(result.path("a.nc"))
        np.testing.assert_array_equal(data["now"].values, whole["now"].values[:promised])


def test_expired_credentials(job, moto, proxy, tmp_path):
    expired = Fault(status=400, body=error_body("ExpiredToken", "The provided token has expired."))
    name = "expired.zarr"
    proxy.rule = lambda number, seen: expired if "/now/c/" in seen.path else None
    refused = job(model(1, **SCENARIO), inline(), config=configuration(name), environment=environment(proxy.url))
    refused.failed_with(f"s3://{BUCKET}/{name}", "400 ExpiredToken (The provided token has expired.)", "file of")
    # Credentials in a file are read again.
    file = tmp_path / "credentials"
    file.write_text("[default]\naws_access_key_id = OLD\naws_secret_access_key = x\n[other]\naws_access_key_id = NO\n")

    def renewing(number, seen):
        if "Credential=OLD/" not in seen.headers["authorization"] or "/now/c/" not in seen.path:
            return None
        file.write_text(f"[default]\naws_access_key_id = {KEY_ID}\naws_secret_access_key = {SECRET}\n")
        return expired

    proxy.rule = renewing
    settings = environment(proxy.url, AWS_ACCESS_KEY_ID="", AWS_SHARED_CREDENTIALS_FILE=str(file))
    config = configuration(name, if_exists="replace")
    result = job(model(1, **SCENARIO), inline(), config=config, environment=settings).finished()
    assert_same(moto, name, result.path("a.nc"))


def test_no_credentials_and_no_server(job, moto):
    settings = environment(moto.url, AWS_ACCESS_KEY_ID="")
    refused = job(model(1, **SCENARIO), inline(), config=configuration("x.zarr"), environment=settings)
    refused.failed_with("there are no credentials", "AWS_ACCESS_KEY_ID", "/nonexistent")
    settings = environment(moto.url.replace("127.0.0.1", "ftp")) | {"AWS_ENDPOINT_URL": "ftp://x"}
    refused = job(model(1, **SCENARIO), inline(), config=configuration("x.zarr"), environment=settings)
    refused.failed_with("AWS_ENDPOINT_URL", "expected the address of a server")


def test_two_runs_never_write_one_store(job, moto, proxy):
    """The second one takes the store over by name; the first finds out with its next commit, and changes nothing."""
    name = "shared.zarr"
    config = configuration(name, write_every="2 s")
    held = []

    def rule(number, seen):
        if seen.method == "PUT" and seen.path.endswith("/now/c/1/0/0/0") and not held:
            held.append(number)
            other = job(
                model(1, **SCENARIO),
                inline(),
                config=configuration(name, if_exists="replace"),
                environment=environment(moto.url),
            )
            held.append(other.finished())
        return None

    proxy.rule = rule
    first = job(model(1, **SCENARIO), servers(1), config=config, environment=environment(proxy.url))
    first.failed_with(f"s3://{BUCKET}/{name}", "another session")
    assert_same(moto, name, held[1].path("a.nc"))


def test_kills_between_any_two_requests(job, moto, proxy):
    """Whatever the last request was, the metadata name whole records alone, and a run goes on or begins anew."""
    name = "killed.zarr"
    options = {"format": "zarr", "write_every": "4 s", "zarr": {"parallel_puts": 2}}
    options["variables"] = [
        {"field": "w", "every": "2 s", "chunk": [1, 2, 9, 17], "name": "sharded"},
        {"field": "w", "every": "2 s", "chunk": [5, 4, 9, 17], "name": "filled"},
    ]
    config = {
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {f"s3://{BUCKET}/{name}": options | {"if_exists": "replace"}},
    }
    scenario = LONG | {"times": [float(i + 1) for i in range(24)], "pace": 0.0}
    shape = scenario["grids"][0]["shape"]
    job(model(1, **scenario), inline(), config=config, environment=environment(proxy.url)).finished()
    total, lengths = len(proxy.seen), set()
    for last in sorted(random.Random(2).sample(range(2, total), 5)):
        proxy.seen.clear()
        proxy.rule = lambda number, seen, last=last: Fault(waits=600.0) if number >= last else None
        settings = environment(proxy.url)
        with job.start(model(1, **scenario), servers(1), config=config, environment=settings) as running:
            proxy.wait_for(lambda seen, last=last: len(seen) > last)
            running.kill()
        proxy.rule = lambda number, seen: None
        arrays = metadata(moto, name).get("consolidated_metadata")
        if arrays is None:  # killed while the store was created: a group, with arrays of the run before or of this one
            data = {one: array[...] for one, array in moto.group(name).arrays() if one in ("sharded", "filled")}
            assert all(len(values) in (0, 12) for values in data.values())
        else:
            data = {one: values.values for one, values in moto.read(name).variables.items()}
            assert len({len(data[one]) for one in ("time", "sharded", "filled")}) == 1
            assert data["time"].tolist() == [2.0 * (i + 1) for i in range(len(data["time"]))]
            lengths.add(len(data["time"]))
        for one in {"sharded", "filled"} & set(data):
            for i, values in enumerate(data[one]):
                np.testing.assert_array_equal(values, put_values(0, shape, 2.0 * (i + 1), 2 * (i + 1)))
    assert len(lengths) > 1


def test_inspect(job, moto, tmp_path):
    settings = environment(moto.url)
    name = "looked_at.zarr"
    result = job(model(1, **SCENARIO), inline(), config=configuration(name), environment=settings).finished()
    told = tailrace("inspect", f"s3://{BUCKET}/{name}", cwd=result.folder, environment=settings)
    assert told.returncode == 0, told.stdout + told.stderr
    now = read(result.path("a.nc"))["now"]
    assert f"s3://{BUCKET}/{name}: complete; records: " in told.stdout
    assert f"{now.dims[0]} {now.shape[0]}" in told.stdout
    assert "shards of" in told.stdout
    none = tailrace("inspect", f"s3://{BUCKET}/none.zarr", cwd=result.folder, environment=settings)
    assert none.returncode != 0 and "has no zarr.json" in none.stdout
    without = settings | {"AWS_ACCESS_KEY_ID": ""}
    refused = tailrace("inspect", f"s3://{BUCKET}/{name}", cwd=result.folder, environment=without)
    assert refused.returncode != 0 and "Traceback" not in refused.stderr
    names = ("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL")
    for told in (f"s3://{BUCKET}/{name}: ", moto.url, *names):
        assert told in refused.stdout


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("s3://climate", {"format": "zarr"}, "has no bucket, or no key"),
        ("s3://climate/a/../b.zarr", {"format": "zarr"}, 'a part ".."'),
        ("s3://climate/a.nc", {}, 'format "netcdf" does not write to object stores'),
        ("s3://climate/a.zarr", {"format": "zarr", "new_file_every": "1 h"}, "a series of stores"),
        ("a.zarr", {"format": "zarr", "zarr": {"patience": "1 min"}}, "is an option of stores on an object store"),
    ],
)
def test_check_without_a_network(tmp_path, name, options, told):
    import yaml

    config = {
        "tailrace": 1,
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {name: {"variables": [{"field": "w", "every": "2 s"}]} | options},
    }
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(config))
    settings = environment("http://127.0.0.1:9")  # nobody answers there
    checked = tailrace("check", "run.yaml", cwd=tmp_path, environment=settings)
    assert checked.returncode != 0 and told in checked.stdout + checked.stderr
    assert "run.yaml:" in checked.stdout + checked.stderr


def test_check_of_a_right_name_asks_nobody(tmp_path):
    import yaml

    config = {
        "tailrace": 1,
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {
            "s3://climate/a.zarr": {"format": "zarr", "sync": True, "variables": [{"field": "w", "every": "2 s"}]}
        },
    }
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(config))
    checked = tailrace("check", "run.yaml", cwd=tmp_path, environment=environment("http://127.0.0.1:9"))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "sync: changes nothing on an object store" in checked.stdout
