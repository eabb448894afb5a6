/**
 * What a client is asked, over every door and at every revision. Child processes have real time only.
 */
import { overEveryWire } from "../fixtures/chapter.ts"
import { elicitation } from "./Elicitation.ts"
import { roots } from "./Roots.ts"
import { sampling } from "./Sampling.ts"

overEveryWire([elicitation, sampling, roots])
