/** A service as it is: an HttpApi with bearer security, which tells handlers who calls. */
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

export class Show extends Schema.Class<Show>("Show")({ id: Schema.Int, title: Schema.String, left: Schema.Int }) {}

export class ShowNotFound extends Schema.TaggedError<ShowNotFound>()(
  "ShowNotFound",
  { id: Schema.Int },
  { httpApiStatus: 404 }
) {
  override get message() {
    return `There is no show ${this.id}`
  }
}

export class SoldOut extends Schema.TaggedError<SoldOut>()("SoldOut", { left: Schema.Int }, { httpApiStatus: 409 }) {
  override get message() {
    return `Only ${this.left} seats are left`
  }
}

export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}, { httpApiStatus: 401 }) {
  override get message() {
    return "Sign in first"
  }
}

export class CurrentUser extends Context.Service<CurrentUser, { readonly name: string }>()("http-api/CurrentUser") {}

export class Bearer extends HttpApiMiddleware.Service<Bearer, { provides: CurrentUser }>()("http-api/Bearer", {
  error: Unauthorized,
  security: { bearer: HttpApiSecurity.bearer }
}) {}

const list = HttpApiEndpoint.get("list", "/shows", {
  query: { search: Schema.optionalKey(Schema.String), limit: Schema.optionalKey(Schema.FiniteFromString) },
  success: Schema.Array(Show)
}).annotate(OpenApi.Description, "Tonight's shows")

const get = HttpApiEndpoint.get("get", "/shows/:id", {
  params: { id: Schema.Int },
  success: Show,
  error: ShowNotFound
})

const book = HttpApiEndpoint.post("book", "/shows/:id/bookings", {
  params: { id: Schema.Int },
  payload: Schema.Struct({ guests: Schema.NonEmptyArray(Schema.String) }),
  success: Schema.Struct({ bookedBy: Schema.String, guests: Schema.Array(Schema.String) }),
  error: [ShowNotFound, SoldOut]
}).annotate(OpenApi.Summary, "Book seats")

export class BoxApi extends HttpApi.make("Box office")
  .add(HttpApiGroup.make("shows").add(list, get, book))
  .middleware(Bearer) {}
