"""Load tests: runs of a server whose laws are known, as each tool would write them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentsim.errors import Problems
from agentsim.importers import benchmarks
from agentsim.importers.profile import fitted
from agentsim.spec.hardware import profile_of
from agentsim.spec.reader import read
from tests.unit.importers.test_readers import MEASURED, SERVED

STEPS = {1: 0.010, 2: 0.014, 4: 0.020, 8: 0.040}
READ = 0.0005  # seconds of an input token


@dataclass(frozen=True)
class Run:
    """One run: so many requests at once of so many tokens in and out, two rounds of them."""

    streams: int
    prompt: int = 1000
    output: int = 100

    @property
    def step(self) -> float:
        return STEPS[self.streams]

    @property
    def round(self) -> float:
        """Prompts one after another, then the output of all: B * 1000 * 0.5 ms + 100 * s(B)."""
        return self.streams * self.prompt * READ + self.output * self.step

    @property
    def rate(self) -> float:
        return self.streams * self.output / self.round


def vllm(run: Run) -> dict[str, Any]:
    many = 2 * run.streams
    return {
        "backend": "vllm", "model_id": "m", "tokenizer_id": "m", "num_prompts": many,
        "request_rate": "inf", "max_concurrency": run.streams, "duration": 2 * run.round,
        "completed": many, "total_input_tokens": many * run.prompt,
        "total_output_tokens": many * run.output, "median_ttft_ms": 1e3 * run.prompt * READ,
        "median_tpot_ms": 1e3 * run.step,
    }  # fmt: skip


def sglang(run: Run) -> dict[str, Any]:
    own = {**vllm(run), "request_rate": float("inf"), "dataset_name": "random", "model": "m"}
    del own["tokenizer_id"]
    return own


def inferencemax(run: Run) -> dict[str, Any]:
    return {
        "hw": "h200", "tp": 4, "conc": run.streams, "model": "m", "framework": "vllm",
        "precision": "fp8", "isl": run.prompt, "osl": run.output,
        "tput_per_gpu": run.rate * 11 / 4, "output_tput_per_gpu": run.rate / 4,
        "median_ttft": run.prompt * READ, "median_tpot": run.step,
    }  # fmt: skip


def aiperf(run: Run) -> dict[str, Any]:
    return {
        "request_throughput": {"unit": "requests/sec", "avg": run.rate / run.output},
        "output_token_throughput": {"unit": "tokens/sec", "avg": run.rate},
        "input_sequence_length": {"unit": "tokens", "avg": run.prompt},
        "output_sequence_length": {"unit": "tokens", "avg": run.output},
        "time_to_first_token": {"unit": "ms", "avg": 9e9, "p50": 1e3 * run.prompt * READ},
        "inter_token_latency": {"unit": "us", "avg": 1e6 * run.step},
        "input_config": {"loadgen": {"concurrency": run.streams},
                         "endpoint": {"model_names": ["m"]}},
    }  # fmt: skip


def guidellm(run: Run) -> dict[str, Any]:
    figures = {
        "request_concurrency": run.streams, "prompt_token_count": run.prompt,
        "output_token_count": run.output, "output_tokens_per_second": run.rate,
        "time_to_first_token_ms": 1e3 * run.prompt * READ,
        "inter_token_latency_ms": 1e3 * run.step,
    }  # fmt: skip
    metrics: dict[str, Any] = {it: {"successful": {"mean": v}} for it, v in figures.items()}
    metrics["request_totals"] = {"successful": 8, "errored": 0}
    kind = "synchronous" if run.streams == 1 else "concurrent"
    strategy = {"type_": kind, "streams": run.streams}
    one = {"config": {"strategy": strategy, "backend": {"model": "m"}}, "metrics": metrics}
    return {"metadata": {"guidellm_version": "0.8"}, "benchmarks": [one]}


def inference_perf(run: Run) -> dict[str, Any]:
    return {
        "load_summary": {"count": 8, "concurrency": run.streams},
        "failures": {"count": 0},
        "successes": {
            "count": 8,
            "latency": {"time_to_first_token": {"median": run.prompt * READ},
                        "time_per_output_token": {"median": run.step}},
            "prompt_len": {"mean": run.prompt}, "output_len": {"mean": run.output},
            "throughput": {"output_tokens_per_sec": run.rate},
        },
    }  # fmt: skip


def benchy(run: Run) -> dict[str, Any]:
    """All prompts are read before any of the others decodes: from the first token of the first
    request to the last of all it takes the other prompts and the output."""
    first = run.prompt * READ
    rest = run.round - first
    one = {
        "concurrency": run.streams, "context_size": 0, "prompt_size": run.prompt,
        "response_size": run.output, "is_context_prefill_phase": False,
        "pp_throughput": {"mean": 1 / READ},
        "tg_throughput": {"mean": 1 / run.step if run.streams == 1
                          else run.streams * (run.output - 1) / rest},
        "ttfr": {"mean": 9e9, "values": [1e3 * (first * (i + 1)) + 2.0
                                         for i in range(run.streams)]},
    }  # fmt: skip
    return {"latency_mode": "api", "latency_ms": 2.0, "model": "m", "prefix_caching_enabled": True,
            "benchmarks": [one]}  # fmt: skip


WRITTEN: dict[str, Callable[[Run], dict[str, Any]]] = {
    "llama-benchy": benchy,
    "vllm bench serve": vllm,
    "sglang bench_serving": sglang,
    "InferenceMAX": inferencemax,
    "AIPerf": aiperf,
    "guidellm": guidellm,
    "inference-perf": inference_perf,
}


def test_each_load_test_is_written_here() -> None:
    assert set(WRITTEN) == SERVED


@pytest.mark.parametrize("tool", WRITTEN)
def test_a_sweep_gives_the_laws_of_the_server(tool: str, tmp_path: Path) -> None:
    files = []
    for streams in STEPS:
        file = tmp_path / f"{streams}.json"
        file.write_text(json.dumps(WRITTEN[tool](Run(streams)), indent=1), "utf-8")
        files.append(str(file))
    found = fitted(files)
    plan = profile_of(read(found.text, "it"), "it").plan
    assert found.tools == (tool,)
    for streams, step in STEPS.items():
        assert plan.decode.step(streams) == pytest.approx(step, rel=1e-3), streams
    assert plan.prefill is not None
    assert plan.prefill.seconds(1000, 0) == pytest.approx(0.5, rel=1e-3)
    assert plan.slots == 8
    assert [row.what for row in found.rows] == ["prefill", "decode", "round", "round", "round"]


def test_rounds_of_one_length_tell_no_laws(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(json.dumps(vllm(Run(4))), "utf-8")
    with pytest.raises(Problems, match="do not tell reading from making"):
        fitted([str(tmp_path / "a")])


def test_rounds_of_several_lengths_do(tmp_path: Path) -> None:
    runs = [Run(4), Run(4, 4000, 50), Run(4, 500, 400)]
    (tmp_path / "a").write_text("\n".join(json.dumps(vllm(run)) for run in runs), "utf-8")
    plan = profile_of(read(fitted([str(tmp_path / "a")]).text, "it"), "it").plan
    assert plan.decode.step(4) == pytest.approx(STEPS[4], rel=0.01)
    assert plan.prefill is not None
    assert plan.prefill.seconds(1000, 0) == pytest.approx(0.5, rel=0.01)


def test_a_server_that_reads_several_prompts_at_once_is_told() -> None:
    # the mock server of the sample answers two requests as fast as one
    with pytest.raises(Problems, match="reads several at once"):
        fitted([str(MEASURED / "llama-benchy.json")])
    alone = fitted([str(MEASURED / "llama-benchy.json")], [("streams", "1")])
    assert [row.measured for row in alone.rows] == pytest.approx([987.0988, 49.97785])


def test_a_depth_is_read_first_with_prefix_caching_and_together_without(tmp_path: Path) -> None:
    whole = benchy(Run(1))
    deep = whole["benchmarks"][0] | {"context_size": 8000}
    whole["benchmarks"] = [deep, deep | {"is_context_prefill_phase": True}]
    (tmp_path / "a").write_text(json.dumps(whole))
    (tmp_path / "b").write_text(json.dumps(whole | {"prefix_caching_enabled": False,
                                                    "benchmarks": [deep]}))  # fmt: skip
    told = [(row.kind, row.depth, row.prompt) for row in benchmarks.read(str(tmp_path / "a"))[0]]
    assert told == [("prefill", 8000, 1000), ("decode", 9000, 0), ("prefill", 0, 8000),
                    ("decode", 8000, 0)]  # fmt: skip
    rows = benchmarks.read(str(tmp_path / "b"))[0]
    assert [(row.kind, row.depth, row.prompt) for row in rows] == [
        ("prefill", 0, 9000), ("decode", 9000, 0),
    ]  # fmt: skip


def test_samples_of_the_tools(tmp_path: Path) -> None:
    # 16 at once read 1024 and make 128 each, 20480 tokens in 50.7457 s: a round of 5.0746 s
    (row,) = benchmarks.read(str(MEASURED / "vllm-bench.json"))[0]
    assert (row.kind, row.streams, row.prompt, row.output) == ("round", 16, 1024, 128)
    assert row.seconds == pytest.approx(5.07457, rel=1e-5)
    # one request of two was answered: 550 tokens in 4.9 ms, then 9 at 5.2 ms
    read_, made = benchmarks.read(str(MEASURED / "aiperf.jsonl"))[0]
    assert (read_.prompt, made.depth, made.output) == (550, 550, 9)
    assert (550 / read_.rate, 1 / made.rate) == pytest.approx((0.004898437, 0.0052048325))
    # two requests in five seconds at a rate: they never meet
    rows = benchmarks.read(str(MEASURED / "guidellm.json"))[0]
    assert [row.kind for row in rows] == ["prefill", "decode"] * 2
    assert 1 / rows[1].rate == pytest.approx(0.00104597, rel=1e-5)
    with pytest.raises(Problems, match=r"0\.59 at once on average"):
        benchmarks.read(str(MEASURED / "inference-perf.yaml"))


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "a rate": ("vllm bench serve", {"request_rate": 4}, "not how many requests ran at once"),
    "failures": ("vllm bench serve", {"completed": 3}, "only 3 of 8 requests"),
    "no output": ("vllm bench serve", {"total_output_tokens": 8}, "too few to tell"),
    "none": ("vllm bench serve", {"duration": None}, "`duration` is missing"),
    "no lengths": ("InferenceMAX", {"isl": 0}, "too few"),
    "two kinds of GPUs": ("InferenceMAX", {"disagg": True}, "on other GPUs"),
    "no list": ("llama-benchy", {"benchmarks": 7}, "no list of runs"),
    "errors": (
        "AIPerf",
        {"request_count": {"unit": "", "avg": 3}, "error_request_count": {"unit": "", "avg": 5}},
        "only 3 of 8 requests",
    ),
    "no figure": ("AIPerf", {"output_token_throughput": 7}, "is missing"),
}


@pytest.mark.parametrize("tool", WRITTEN)
def test_a_value_of_another_kind_is_a_problem_and_never_a_fault(tool: str, tmp_path: Path) -> None:
    """Each value of a file in turn is replaced by some that it cannot be, or is left out."""
    for streams in (1, 4):
        count = len(list(places(WRITTEN[tool](Run(streams)))))
        for at in range(count):
            for other in OTHERS:
                whole = WRITTEN[tool](Run(streams))
                holder, key = list(places(whole))[at]
                holder[key] = other
                (tmp_path / "a").write_text(json.dumps(whole))
                with contextlib.suppress(Problems):
                    fitted([str(tmp_path / "a")])


OTHERS: tuple[Any, ...] = (None, -1, 10**400, float("nan"), "x", [], {"a": 1})


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """(what holds it, key or index) of each value in a JSON document."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


@pytest.mark.parametrize("which", REFUSED)
def test_what_tells_no_speed_is_refused(which: str, tmp_path: Path) -> None:
    tool, change, told = REFUSED[which]
    (tmp_path / "a").write_text(json.dumps(WRITTEN[tool](Run(4)) | change))
    with pytest.raises(Problems, match=told):
        fitted([str(tmp_path / "a")])
