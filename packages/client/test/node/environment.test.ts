import { assert, describe, it } from "@effect/vitest"
import { childEnvironment } from "../../src/node/ChildEnvironment.ts"

const ours = { PATH: "/bin", HOME: "/home/ann", SECRET_X: "1", TERM: "() { :; }", LANG: "de" }

describe("the environment of a child", () => {
  it("B008: holds a few harmless variables, and no secret of the parent", () => {
    assert.deepStrictEqual(childEnvironment(ours, {}, "linux"), { PATH: "/bin", HOME: "/home/ann" })
  })

  it("B008: keeps them when one is given, which wins", () => {
    const given = { KEY: "v", HOME: "/srv" }
    assert.deepStrictEqual(childEnvironment(ours, given, "linux"), { PATH: "/bin", HOME: "/srv", KEY: "v" })
  })

  it("B008: removes what is given as undefined", () => {
    assert.deepStrictEqual(childEnvironment(ours, { PATH: undefined }, "linux"), { HOME: "/home/ann" })
  })

  it("B008: skips exported shell functions, unless they are given", () => {
    assert.notProperty(childEnvironment(ours, {}, "linux"), "TERM")
    assert.property(childEnvironment(ours, { FN: "() { :; }" }, "linux"), "FN")
  })

  it("B008: knows the names of Windows, in any case", () => {
    const windows = {
      Path: "C:\\bin",
      PATHEXT: ".EXE",
      ComSpec: "cmd",
      SystemRoot: "C:",
      ProgramData: "D:",
      Secret: "1"
    }
    assert.deepStrictEqual(childEnvironment(windows, { path: "E:\\bin" }, "win32"), {
      path: "E:\\bin",
      PATHEXT: ".EXE",
      ComSpec: "cmd",
      SystemRoot: "C:",
      ProgramData: "D:"
    })
  })
})
