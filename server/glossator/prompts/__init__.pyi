from .loader import load_prompt, load_prompts

__all__ = ["load_prompt", "load_prompts"]
