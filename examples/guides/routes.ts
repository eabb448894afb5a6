/** A library whose operations have routes: some are tools too, some are not. */
// #region contracts
import { Endpoint, Mcp } from "@treadle/server"
import { HttpRoutes } from "@treadle/server/http-api"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class NoBook extends Schema.TaggedError<NoBook>()("NoBook", { isbn: Schema.String }, { httpApiStatus: 404 }) {
  override get message() {
    return `There is no book ${this.isbn}.`
  }
}

const Book = Schema.Struct({ isbn: Schema.String, title: Schema.String, lent: Schema.Boolean })

export const findBooks = Endpoint.make("find_books", {
  description: "Books by a part of their title",
  input: { title: Schema.optionalKey(Schema.String), lent: Schema.optionalKey(Schema.Boolean) },
  output: Schema.Array(Book),
  hints: { readOnly: true },
  http: "GET /books"
})

export const getBook = Endpoint.make("get_book", {
  description: "One book",
  input: { isbn: Schema.String },
  output: Book,
  errors: NoBook,
  http: "GET /books/:isbn"
})

export const lendBook = Endpoint.make("lend_book", {
  description: "Lends a book to a reader",
  input: { isbn: Schema.String, reader: Schema.String, days: Schema.optionalKey(Schema.Int) },
  output: Book,
  errors: NoBook,
  http: "POST /books/:isbn/loan"
})
// #endregion

// #region server
const books = new Map([
  ["0141439513", { isbn: "0141439513", title: "Pride and Prejudice", lent: false }],
  ["0140449132", { isbn: "0140449132", title: "Crime and Punishment", lent: true }]
])

const bookOf = (isbn: string) => {
  const book = books.get(isbn)
  return book === undefined ? Effect.fail(new NoBook({ isbn })) : Effect.succeed(book)
}

export const library = Mcp.make({ name: "library", version: "1.0.0" })
  .tool(findBooks, async ({ lent, title = "" }) =>
    [...books.values()].filter((book) => book.title.includes(title) && (lent === undefined || book.lent === lent))
  )
  .tool(getBook, ({ isbn }) => bookOf(isbn))
  .operation(lendBook, ({ isbn }) => Effect.map(bookOf(isbn), (book) => ({ ...book, lent: true })))

export const Library = HttpRoutes.layer(library, { prefix: "/api", mcp: "/mcp", docs: "/docs" })
// #endregion
