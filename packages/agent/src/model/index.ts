/** Models behind the interface of `effect/ai`: adapters of two wires, and what makes a model dependable. */
export {}
