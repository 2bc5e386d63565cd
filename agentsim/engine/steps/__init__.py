"""How each node runs: node type -> runner. A new node is a file here and a row in this table."""

from collections.abc import Mapping

from agentsim.engine.frame import Runner
from agentsim.engine.steps.agent import run_agent
from agentsim.engine.steps.attempts import run_attempts
from agentsim.engine.steps.block import run_block
from agentsim.engine.steps.call import run_call
from agentsim.engine.steps.choose import run_choose
from agentsim.engine.steps.fork import run_fork
from agentsim.engine.steps.life import run_life
from agentsim.engine.steps.loop import run_loop
from agentsim.engine.steps.merge import run_merge
from agentsim.engine.steps.person import run_ask
from agentsim.engine.steps.work import run_work
from agentsim.graph import Agent, Ask, Attempts, Block, Call, Choose, Fork, Life, Loop, Merge, Work

RUNNERS: Mapping[type, Runner] = {
    Agent: run_agent,
    Ask: run_ask,
    Attempts: run_attempts,
    Block: run_block,
    Call: run_call,
    Choose: run_choose,
    Fork: run_fork,
    Life: run_life,
    Loop: run_loop,
    Merge: run_merge,
    Work: run_work,
}
