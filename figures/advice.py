"""Trials of verve advise on a shipped scene. Its budget is in seconds of the clock: a busy machine needs a longer one."""


def trials(f, scene, frames, seconds):
    for budget in (seconds, 6 * seconds):
        try:
            return f.json("advise", scene, "--frames", str(frames), "--seconds", str(budget))
        except RuntimeError as error:
            said = error
    raise said
