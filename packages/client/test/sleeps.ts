/** The waits of an effect as they begin. */
export { withSleeps } from "@treadle/testing"
