/**
 * Content blocks: what a tool result or a prompt is made of. A block of a type that is not known here is kept as it
 * came, because a newer peer may send one.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result
 */
import * as Schema from "effect/Schema"
import { toBase64 } from "../json/index.ts"
import { Annotations } from "./Annotations.ts"
import { Icon } from "./Icon.ts"
import { Meta } from "./Meta.ts"
import { ResourceContents } from "./ResourceContents.ts"

const common = { annotations: Schema.optionalKey(Annotations), _meta: Schema.optionalKey(Meta) }

/** Text. */
export const TextContent = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String, ...common })
export interface TextContent extends Schema.Schema.Type<typeof TextContent> {}

/** An image, as Base64. */
export const ImageContent = Schema.Struct({
  type: Schema.Literal("image"),
  data: Schema.String,
  mimeType: Schema.String,
  ...common
})
export interface ImageContent extends Schema.Schema.Type<typeof ImageContent> {}

/** A sound, as Base64. */
export const AudioContent = Schema.Struct({
  type: Schema.Literal("audio"),
  data: Schema.String,
  mimeType: Schema.String,
  ...common
})
export interface AudioContent extends Schema.Schema.Type<typeof AudioContent> {}

/** A resource that the client may read; `size` in bytes, before any encoding. */
export const ResourceLink = Schema.Struct({
  type: Schema.Literal("resource_link"),
  uri: Schema.String,
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  mimeType: Schema.optionalKey(Schema.String),
  size: Schema.optionalKey(Schema.Finite),
  icons: Schema.optionalKey(Schema.Array(Icon)),
  ...common
})
export interface ResourceLink extends Schema.Schema.Type<typeof ResourceLink> {}

/** A resource with its contents. */
export const EmbeddedResource = Schema.Struct({
  type: Schema.Literal("resource"),
  resource: ResourceContents,
  ...common
})
export interface EmbeddedResource extends Schema.Schema.Type<typeof EmbeddedResource> {}

/** The schema of a block whose type is none of the known ones. */
export const otherThan = (...types: ReadonlyArray<string>) => {
  const known = new Set(types)
  return Schema.StructWithRest(
    Schema.Struct({
      type: Schema.String.check(
        Schema.makeFilter((type) => !known.has(type) || `a block of type "${type}" must have the members of its type`)
      )
    }),
    [Schema.Record(Schema.String, Schema.Json)]
  )
}

/** A block of a type that this version does not know. */
export const UnknownContent = otherThan("text", "image", "audio", "resource_link", "resource")
export type UnknownContent = typeof UnknownContent.Type

/** Any block a server may send. */
export const ContentBlock = Schema.Union([
  TextContent,
  ImageContent,
  AudioContent,
  ResourceLink,
  EmbeddedResource,
  UnknownContent
])
export type ContentBlock = typeof ContentBlock.Type

/** A block that an author makes: of one of the types the specification names. */
export type Content = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

const data = (bytes: Uint8Array | string): string => (typeof bytes === "string" ? bytes : toBase64(bytes))

/**
 * Makes content blocks.
 *
 * @example
 * ```ts
 * import { Content } from "@treadle/protocol"
 *
 * Content.text("Evening bill")
 * // => { type: "text", text: "Evening bill" }
 * ```
 */
export const Content = {
  text: (text: string): TextContent => ({ type: "text", text }),
  /** @param bytes the image, or its Base64 @param mimeType such as `image/png` */
  image: (bytes: Uint8Array | string, mimeType: string): ImageContent => ({
    type: "image",
    data: data(bytes),
    mimeType
  }),
  /** @param bytes the sound, or its Base64 @param mimeType such as `audio/wav` */
  audio: (bytes: Uint8Array | string, mimeType: string): AudioContent => ({
    type: "audio",
    data: data(bytes),
    mimeType
  }),
  /** A resource that the client may read. */
  link: (uri: string, name: string, more: Omit<ResourceLink, "type" | "uri" | "name"> = {}): ResourceLink => ({
    type: "resource_link",
    uri,
    name,
    ...more
  }),
  /** A resource with its contents in the block. */
  resource: (resource: ResourceContents): EmbeddedResource => ({ type: "resource", resource })
}
