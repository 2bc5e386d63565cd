"""The profiles that ship say what the facts say: predicted against each row that they come from.

The facts (`facts/hardware.yaml` of the design data) are not part of the repository; where they are
absent these tests are skipped, with the reason.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from agentsim.analysis.hardware import decode_rate, prefill_rate
from agentsim.graph import ServerPlan
from agentsim.laws.prefill import Prefill
from agentsim.spec.catalogue import bundled, names
from agentsim.spec.hardware import load_profile

Facts = dict[str, dict[str, Any]]

# name -> entry, most that a row of its depth table may be off: decode, prefill (fractions). Ten
# are fits to that very table; those with a batch table take their slope from that one.
DEPTHS = {
    "dgx-spark": ("dgx-spark-llamacpp-gpt-oss-120b", 0.05, 0.035),
    "dgx-spark-qwen3-30b": ("dgx-spark-llamacpp-qwen3-coder-30b-a3", 0.05, 0.06),
    "m2-ultra": ("mac-studio-m2-ultra-llamacpp-gpt-oss-120b", 0.093, 0.05),
    "m2-ultra-qwen3-30b": ("mac-studio-m2-ultra-llamacpp-qwen3-coder-30b-a3", 0.05, 0.18),
    "dgx-spark-ds4": ("dgx-spark-ds4", 0.013, 0.014),
    "m2-ultra-ds4": ("m2-ultra-ds4", 0.013, 0.016),
    "m3-ultra-ds4": ("mac-studio-m3-ultra-ds4", 0.013, 0.005),
    "m4-max-ds4": ("m4-max-ds4", 0.01, 0.006),
    "m5-max-ds4": ("m5-max-ds4", 0.01, 0.05),
    "strix-halo-122b": ("strix-halo-qwen3.5-122b-a10b-ud-q4_", 0.004, 0.065),
    "strix-halo-35b": ("strix-halo-qwen3.6-35b-a3b-ud-q4_k_", 0.0042, 0.05),
    "strix-halo-27b": ("strix-halo-qwen3.6-27b-ud-q8_k_xl", 0.001, 0.02),
    "strix-halo-dsv4": ("strix-halo-deepseek-v4-flash-0731-u", 0.035, 0.04),
}
BATCHED = tuple(DEPTHS)[:4]
PROMPT = 2048  # tokens that are read at each depth of these tables


@pytest.fixture(scope="module")
def facts(design_data: Path) -> Facts:
    found = yaml.safe_load((design_data / "facts/hardware.yaml").read_text("utf-8"))
    return {entry["id"]: entry for entry in found["profiles"]}


@pytest.fixture(scope="module")
def prices(design_data: Path) -> Facts:
    found = yaml.safe_load((design_data / "facts/hardware.yaml").read_text("utf-8"))
    return {entry["id"]: entry for entry in found["hosted_prices"]}


@cache
def plan(name: str) -> ServerPlan:
    return load_profile(name).plan


def total(of: ServerPlan, streams: int, context: float = 0.0) -> float:
    """tok/s of so many streams together, each after `context` tokens."""
    step = of.decode.step(streams) + of.decode.slope * streams * context
    return streams * of.decode.per_step / step


def test_there_are_thirty_and_more() -> None:
    assert len(names("hardware")) >= 50


@pytest.mark.parametrize("name", names("hardware"))
def test_what_was_assumed_is_told(name: str) -> None:
    """Each has a note, says what is judged, and names the entry of its speed in a comment."""
    text = (bundled("hardware") / f"{name}.yaml").read_text("utf-8")
    file = yaml.safe_load(text)
    assert file["note"]
    assert file["assumed"]
    assert "entry" in text.lower() or name == "claude-opus"
    older = "older model" in file["note"]
    if "older speed" in file["name"] or "average speed" in file["name"]:
        assert older, "a speed of an older model is told in its note"
    if older:
        assert file["source"]["grade"] == "C"
    if name.startswith("rtx-"):
        assert "single point" in text


@pytest.mark.parametrize("name", DEPTHS)
def test_each_row_of_a_depth_table(name: str, facts: Facts) -> None:
    entry, off_decode, off_prefill = DEPTHS[name]
    table = facts[entry]["depth_table"]
    cold = "note" in facts[entry]  # `first row dropped from fit`
    for depth, rate in list(table["tg"].items())[cold:]:
        assert decode_rate(plan(name), int(depth)) == pytest.approx(rate, rel=off_decode), depth
    for depth, rate in list(table["pp"].items())[cold:]:
        law = plan(name).prefill
        assert law is not None
        read = PROMPT / law.seconds(PROMPT, int(depth))
        assert read == pytest.approx(rate, rel=off_prefill), depth


@pytest.mark.parametrize("name", DEPTHS)
def test_the_laws_are_those_of_the_facts(name: str, facts: Facts) -> None:
    entry = facts[DEPTHS[name][0]]
    fit, law = entry["fit_decode"], plan(name).decode
    if name in BATCHED:
        table = entry["batch_table"]
        assert {b: 1e3 * law.step(int(b)) for b in table["s_B_ms"]} == pytest.approx(
            table["s_B_ms"]
        )
        assert 1e6 * law.slope == pytest.approx(table["c_us_per_ctx_token"], rel=1e-3)
    else:
        assert law.step(1) == pytest.approx(fit["a_s_per_tok"], rel=1e-3)
        assert law.slope == pytest.approx(fit["b_s_per_tok_per_ctx"], rel=1e-3)
    fit = entry["fit_prefill"]
    assert prefill_rate(plan(name), 0) == pytest.approx(fit["rate_at_0"], rel=1e-4)
    reads = plan(name).prefill
    assert isinstance(reads, Prefill)
    assert reads.slope == pytest.approx(fit["b_s_per_tok_per_ctx"], rel=1e-3)


@pytest.mark.parametrize(
    ("name", "entry", "table", "context", "off"),
    [
        # measured with prompts of 1,024 and answers of 128: 1,088 in the mean while decoding
        ("dgx-spark-vllm", "dgx-spark-vllm-gpt-oss-120b", "aggregate_decode_tps", 1088, 0.001),
        ("dgx-spark-x2-vllm", "dgx-spark-x2-tp2-vllm-gpt-oss-120b", "", 1088, 0.001),
        ("dgx-spark-x4-dsv4.1", "dgx-spark-x4-tp4-sglang-dsv4.1-flash", "", 0, 0.005),
        ("dgx-spark-x4-dsv4.1", "dgx-spark-x4-tp4-sglang-dsv4.1-flash", "_32k", 32_768, 0.034),
    ],
)
def test_totals_of_sparks(
    name: str, entry: str, table: str, context: int, off: float, facts: Facts
) -> None:
    rows = facts[entry]["aggregate_decode_tps" + table.removeprefix("aggregate_decode_tps")]
    most = plan(name).slots
    assert most is not None
    for streams, rate in rows.items():
        if int(streams) <= most:  # beyond them no more is made: 315.2 at 64 after 318.7 at 32
            found = total(plan(name), int(streams), context)
            assert found == pytest.approx(rate, rel=off), streams


def test_tables_of_time_a_token(facts: Facts) -> None:
    for name, entry in (
        ("gb300-x4-dsv4", "gb300x4-sglang-dsv4"),
        ("gb300-x4-kimi", "gb300x4-sglang-kimi"),
    ):
        for streams, ms in facts[entry]["tpot_p50_ms"].items():
            assert 1e3 * plan(name).decode.step(int(streams)) == pytest.approx(ms), streams
    for point in facts["mi300x-inferencex-dsr1-fp8-8k1k"]["points"]:
        step = plan("mi300x-x8-r1").decode.step(point["conc"])
        assert 1 / step == pytest.approx(point["tps_user"])


def rounds(of: ServerPlan, streams: int, tokens: int, output: int) -> float:
    """tok/s of closed rounds: all prompts one after another, then all answers together."""
    assert of.prefill is not None
    reading = streams * of.prefill.seconds(tokens, 0)
    return streams * output / (reading + output * of.decode.step(streams))


@pytest.mark.parametrize(
    ("name", "entry", "streams", "tokens", "off"),
    [
        # three rows give three numbers: they come back
        ("h200-x8-minimax", "h200x8-vllm-minimax-m2.5", 4, 1, 1e-3),
        ("h200-x8-minimax", "h200x8-vllm-minimax-m2.5", 64, 1, 1e-3),
        ("h200-x8-minimax", "h200x8-vllm-minimax-m2.5", 16, 32, 1e-3),
        ("h200-x8-qwen3.5", "h200x8-vllm-qwen3.5-397b", 4, 1, 1e-3),
        ("h200-x8-qwen3.5", "h200x8-vllm-qwen3.5-397b", 64, 1, 1e-3),
        ("h200-x8-qwen3.5", "h200x8-vllm-qwen3.5-397b", 64, 16, 1e-3),
        # the facts' own fit of a grid: 3.9 % in the mean, 27.5 % at worst
        ("h200-x8-glm5", "h200x8-vllm-glm5-fp8", 4, 1, 0.13),
        ("h200-x8-glm5", "h200x8-vllm-glm5-fp8", 64, 1, 0.06),
        ("h200-x8-glm5", "h200x8-vllm-glm5-fp8", 64, 16, 0.06),
    ],
)
def test_closed_rounds(
    name: str, entry: str, streams: int, tokens: int, off: float, facts: Facts
) -> None:
    measured = facts[entry]["out_tps"][f"C{streams}@{tokens}k"]
    assert rounds(plan(name), streams, 1024 * tokens, 128) == pytest.approx(measured, rel=off)


def test_strix_halo_with_gpt_oss(facts: Facts) -> None:
    entry = facts["strix-halo-gpt-oss-120b"]
    for name, row in (("strix-halo", entry["rocm"]), ("strix-halo-vulkan", entry["vulkan"])):
        for depth, pp, tg in ((0, "pp512", "tg128"), (1, "pp2048@32768", "tg32@32768"),
                              (2, "pp2048@65536", "tg32@65536")):  # fmt: skip
            at = 32_768 * depth
            assert prefill_rate(plan(name), at) == pytest.approx(row[pp], rel=1e-4)
            assert decode_rate(plan(name), at) == pytest.approx(row[tg], rel=0.03)


def test_single_points(facts: Facts) -> None:
    points = {name: facts[name]["points"] for name in ("rtx-3090", "rtx-4090", "rtx-5090")}
    three, four, five = points.values()
    prose = "Qwen3.6-27B Q4_K_M MTP narr/code"
    told = {
        "rtx-3090": three[f"llama.cpp {prose}"][0],
        "rtx-3090-x2": three["vLLM 2x3090 Qwen3.6-27B int4 MTP"][0],
        "rtx-4090": four["ik_llama Qwen3.6-27B IQ4_KS MTP narr/code"][0],
        "rtx-5090": five["Qwen3.8-27B Q4_K_XL no spec"],
        "rtx-5090-mtp": five["with MTP n=4"],
        "rtx-5090-x2": five["2x5090 Qwen3.6-35B-A3B int4 vLLM"],
    }
    for name, rate in told.items():
        assert plan(name).decode.rate == pytest.approx(rate), name
    assert total(plan("rtx-3090-x2"), 4) == pytest.approx(three["2x aggregate at 4 streams"])
    assert total(plan("h100"), 4) == pytest.approx(511, rel=1e-3)
    for name, both in (
        ("rtx-3090-x2", three["2x prefill 10K->90K"]),
        ("rtx-5090-x2", five["2x prefill 10k/90k"]),
    ):
        law = plan(name).prefill
        assert law is not None
        for tokens, rate in zip((10_000, 90_000), both, strict=True):
            assert tokens / law.seconds(tokens, 0) == pytest.approx(rate, rel=1e-3)
    for name in ("rtx-3090", "rtx-4090", "rtx-5090", "rtx-5090-mtp"):
        assert prefill_rate(plan(name), 9_000) == pytest.approx(three["pp@10k"])


def test_whole_prompts_of_sparks(facts: Facts) -> None:
    two = facts["dgx-spark-x2-tp2-vllm-dsv4-flash"]["depth_table"]["ctx_pp"]
    four = facts["dgx-spark-x4-tp4-sglang-dsv4.1-flash"]["prefill_tps"]
    for name, rows, off in (
        ("dgx-spark-x2-dsv4", two, 0.012),
        ("dgx-spark-x4-dsv4.1", four, 0.016),
    ):
        law = plan(name).prefill
        assert law is not None
        for tokens, rate in rows.items():
            assert int(tokens) / law.seconds(int(tokens), 0) == pytest.approx(rate, rel=off)


PRICED = {
    "claude-opus": "claude-opus-5.5",
    "claude-sonnet": "claude-sonnet-5.5",
    "claude-haiku": "claude-haiku-5.5",
    "sambanova-gpt-oss": "sambanova-gpt-oss-120b",
    "mercury-2.5": "inception-mercury-2.5",
    **{
        name: name
        for name in (
            "cerebras-gpt-oss-120b", "cerebras-qwen-3.8-27b",
            "groq-gpt-oss-120b", "groq-gpt-oss-20b",
            "gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna", "gemini-3.8-flash", "gemini-3.1-pro",
            "kimi-k3.1-pro", "glm-5.3", "minimax-m3",
        )
    },
}  # fmt: skip


@pytest.mark.parametrize(("name", "entry"), PRICED.items())
def test_prices_and_sizes(name: str, entry: str, prices: Facts) -> None:
    told, price = prices[entry], plan(name).price
    assert price is not None
    assert (price.input, price.output) == (told["input"], told["output"])
    assert price.cached == told.get(
        "cached_input", price.input if name != "sambanova-gpt-oss" else None
    )
    # 0 in that table means nothing on top of the input, which is what leaving it out means here
    extra = told.get("cache_write") or None
    assert price.cache_write == (None if extra == told["input"] else extra)
    assert plan(name).context == told["context_in"]
    if name != "kimi-k3.1-pro":  # a placeholder: the table repeats the context
        assert plan(name).max_output == told["max_output"]


def test_deepseek_costs_what_its_peak_costs(prices: Facts) -> None:
    for name in ("deepseek-flash-v4.1", "deepseek-v4-pro"):
        price, peak = plan(name).price, prices[name]["peak"]
        assert price is not None
        assert (price.input, price.cached, price.output) == tuple(
            peak[key] for key in ("input", "cached", "output")
        )


def test_first_tokens_are_the_pings_of_the_facts(facts: Facts) -> None:
    for name, entry, key in (
        ("claude-sonnet", "claude-sonnet-5.5", "ttft_ms_sonnet46"),
        ("claude-haiku", "claude-haiku-5.5", "ttft_ms_haiku45"),
        ("gemini-3.8-flash", "gemini-3.8-flash", "ttft_ms_25flash"),
        ("deepseek-flash-v4.1", "deepseek-flash-v4.1", "ttft_ms_v3"),
        ("deepseek-v4-pro", "deepseek-flash-v4.1", "ttft_ms_v3"),
    ):
        first = plan(name).first_token
        assert first is not None
        for share in (50, 95, 99):
            told = facts[entry][key][f"p{share}"] / 1e3
            assert first.at(share / 100) == pytest.approx(told, rel=1e-6), name
    for name, limit in (("deepseek-flash-v4.1", 2500), ("deepseek-v4-pro", 500)):
        assert plan(name).slots == limit == facts[name]["rate_limits"]["concurrency"]


def test_quotas_of_the_facts(facts: Facts) -> None:
    tier = facts["claude-sonnet-5.5"]["rate_limits"]["tier4"]
    for name in ("claude-opus", "claude-sonnet", "claude-haiku"):
        counts = {limit.count: limit.holds for limit in plan(name).limits}
        assert counts == {
            "requests": tier["rpm"], "uncached_input": tier["itpm"], "output": tier["otpm"],
        }  # fmt: skip
    told = facts["sambanova-gpt-oss-120b"]["rate_limits"]["developer"]
    found = [(it.kind, it.count, it.holds) for it in plan("sambanova-gpt-oss").limits]
    assert found == [
        ("bucket", "requests", told["rpm"]),
        ("window", "requests", told["rpd"]),
        ("window", "total", told["tpd_all_models"]),
    ]
    gemma = facts["cerebras-gpt-oss-120b"]["rate_limits"]["developer"]["gemma-4-31b"]
    cerebras = {limit.count: limit.holds for limit in plan("cerebras-qwen-3.8-27b").limits}
    assert cerebras == {
        "requests": gemma["rpm"], "uncached_input": gemma["tpm"],
        "output": gemma["tpm"], "total": 3 * gemma["tpm"],
    }  # fmt: skip


def test_memory_of_the_h200(facts: Facts) -> None:
    """128 streams of 7.2k in and 0.9k out fitted; 256 filled it, so it lies between."""
    entry = facts["h200x1-vllm-gpt-oss-120b"]
    assert "C=256: KV 100%" in entry["note"]
    assert plan("h200").kv == 128 * 8_100
    assert plan("h200").about.deepest == 8_100


def test_h100_is_an_h200_by_one_factor() -> None:
    """511 tok/s of 4 streams: 7.828 ms a step; the H200's is 6.791 ms, so 1.1527 times as slow."""
    factor = plan("h100").decode.step(4) / plan("h200").decode.step(4)
    assert factor == pytest.approx((4 / 511) / 6.7908e-3, rel=1e-3)
    for streams in (1, 2, 4):
        ratio = plan("h100").decode.step(streams) / plan("h200").decode.step(streams)
        assert math.isclose(ratio, factor, rel_tol=1e-3)
