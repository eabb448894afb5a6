/**
 * Tasks by the schema of their extension. It lies beside the repository; where it is absent those tests are skipped.
 */
import { assert, describe, it } from "@effect/vitest"
import { wireDecoder, type WireSchema } from "@treadle/protocol/json"
import {
  ClientRequest,
  declaresTasks,
  DetailedTask,
  isFinalStatus,
  Task,
  TaskRequest,
  TaskStatus,
  TaskUpdate,
  type ClientMethod
} from "@treadle/protocol/schema"
import { hostileJson } from "@treadle/testing"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const place = fileURLToPath(new URL("../../../../../shared/spec/ext-tasks/schema.json", import.meta.url))
const present = existsSync(place)

const validator = () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addFormat("byte", true)
  ajv.addSchema(present ? Object(JSON.parse(readFileSync(place, "utf8"))) : {}, "tasks")
  return ajv
}

const facts = { taskId: "t", createdAt: "2026-12-01T00:00:00Z", lastUpdatedAt: "2026-12-01T00:00:01Z", ttlMs: null }
const question = { method: "roots/list" }

/** A task of each status with what belongs to it. */
const byStatus = {
  working: {},
  input_required: { inputRequests: { k: question } },
  completed: { result: { content: [] } },
  failed: { error: { code: -32603, message: "broke" } },
  cancelled: {}
}
const statuses = Object.entries(byStatus).map(([status, more]) => ({ ...facts, status, ...more }))
const decode = wireDecoder(DetailedTask as unknown as WireSchema<DetailedTask>)

describe.skipIf(!present)("Tasks by the schema of the extension", () => {
  const ajv = validator()
  const isValid = (definition: string, value: unknown): boolean =>
    ajv.getSchema(`tasks#/$defs/${definition}`)?.(value) === true

  it.prop("WIRE TASK-05 TASK-08 what is admitted is valid", [Arbitrary.schema(Task)], ([task]) => {
    const { status, ...rest } = task
    const detailed = { ...rest, status, ...byStatus[status] }
    assert.isTrue(Result.isSuccess(decode(detailed)))
    assert.isTrue(isValid("DetailedTask", detailed))
    assert.isTrue(isValid("GetTaskResult", { resultType: "complete", ...detailed }))
    assert.isTrue(isValid("CreateTaskResult", { resultType: "task", ...task }))
  })

  it.prop(
    "WIRE TASK-08 a member that is missing or another is refused by both, or by none",
    [hostileJson],
    ([other]) => {
      for (const task of statuses) {
        for (const name of Object.keys(task).filter((one) => one !== "inputRequests")) {
          const { [name]: _, ...without } = Object(task)
          for (const one of [without, { ...without, [name]: other }])
            assert.strictEqual(Result.isSuccess(decode(one)), isValid("DetailedTask", one), JSON.stringify(one))
        }
      }
    }
  )

  it.each([
    ["GetTaskRequest", ClientRequest.getTask("t")],
    ["UpdateTaskRequest", ClientRequest.updateTask("t", { k: { roots: [] } })],
    ["CancelTaskRequest", ClientRequest.cancelTask("t")]
  ])("WIRE TASK-08 TASK-10 TASK-12 what a client sends is a valid %s", (definition, request) => {
    assert.isTrue(isValid(definition, { jsonrpc: "2.0", id: 1, ...request }))
  })

  it.each(statuses)("WIRE TASK-15 a task that is $status is a valid notification", (task) => {
    const notification = { jsonrpc: "2.0", method: "notifications/tasks", params: task }
    assert.isTrue(isValid("TaskStatusNotification", notification))
  })
})

describe("Tasks", () => {
  it.each(statuses)("TASK-08 a task that is $status is read as it came", (task) => {
    assert.deepStrictEqual<unknown>(decode(task), Result.succeed(task))
  })

  it.each([
    ["input_required", "inputRequests: is missing"],
    ["completed", "result: is missing"],
    ["failed", "error: is missing"]
  ])("TASK-08 a task that is %s has what belongs to that", (status, problem) => {
    assert.deepStrictEqual(decode({ ...facts, status }), Result.fail({ problems: [problem] }))
  })

  it("TASK-09 three statuses are final", () => {
    assert.deepStrictEqual(TaskStatus.literals.filter(isFinalStatus), ["completed", "failed", "cancelled"])
  })

  it.each([
    [{}, false],
    [{ extensions: {} }, false],
    [{ extensions: { "io.modelcontextprotocol/ui": {} } }, false],
    [{ extensions: { "io.modelcontextprotocol/tasks": {} } }, true]
  ])("TASK-01 %j declares tasks: %s", (capabilities, expected) => {
    assert.strictEqual(declaresTasks(capabilities), expected)
  })

  it("TASK-20 there is no list of tasks, and no result of one", () => {
    for (const method of ["tasks/list", "tasks/result"]) assert.isFalse(ClientRequest.isKnown(method))
    const methods: ReadonlyArray<ClientMethod> = ["tasks/get", "tasks/update", "tasks/cancel"]
    assert.isTrue(methods.every(ClientRequest.isKnown))
  })

  it("TASK-10 answers may be to some of the questions, or to none", () => {
    const read = wireDecoder(TaskUpdate)
    for (const inputResponses of [{}, { k: { action: "decline" } }])
      assert.isTrue(Result.isSuccess(read({ taskId: "t", inputResponses })))
    assert.isTrue(Result.isFailure(wireDecoder(TaskRequest)({ taskId: null })))
  })
})
