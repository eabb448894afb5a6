/** A client of the library's routes, typed by its contracts. */
// #region client
import { HttpRoutes } from "@treadle/server/http-api"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { getBook, lendBook } from "./routes.ts"

/** `Effect<string, …>`: a book that is not there is a title too, and what goes wrong on the way is still to be handled. */
export const titleOf = (baseUrl: string, isbn: string) =>
  Effect.flatMap(HttpRoutes.client({ getBook, lendBook }, { baseUrl, prefix: "/api" }), (books) =>
    books.getBook({ isbn }).pipe(
      Effect.map(({ title }) => title),
      Effect.catchTag("NoBook", (error) => Effect.succeed(error.message))
    )
  ).pipe(Effect.provide(FetchHttpClient.layer))
// #endregion
