"""GraphTurbo's scheduling of computational graphs, as the paper has it, without IR.

Zhao et al., "Effectively Scheduling Computational Graphs of Deep Neural Networks toward Their
Domain-Specific Accelerators", OSDI 2023. `kernels` says what a graph is made of, `grouping` has
Algorithms 1 and 2, `ordering` Algorithm 3, `off_core` counts what moves, and `weight_aware` looks
for better factors than the paper's rule.
"""
