/**
 * Looks through what the suite recorded of a client for the secrets that were used: each may be in the requests it belongs
 * to and nowhere else, and in nothing that the client printed.
 */

/** Members of requests, answers and of the suite's own data that are secrets. */
const secretNames = new Set([
  "access_token",
  "assertion",
  "client_assertion",
  "client_secret",
  "code",
  "code_verifier",
  "expired_jwt",
  "idp_id_token",
  "private_key_pem",
  "refresh_token",
  "subject_token",
  "valid_jwt",
  "wrong_audience_jwt"
])

/** Shorter texts are found anywhere by chance. */
const shortest = 8

const isRecord = (value) => typeof value === "object" && value !== null

/** A key in several lines is looked for line by line; its first and last line are in every key. */
const partsOf = (text) => text.split(/\r?\n/).filter((line) => line.length >= shortest && !line.startsWith("-----"))

const secretsIn = (value, name) => {
  if (typeof value === "string") return secretNames.has(name) ? partsOf(value) : []
  return isRecord(value) ? Object.entries(value).flatMap(([key, member]) => secretsIn(member, key)) : []
}

const codeIn = (location) => {
  if (!URL.canParse(location ?? "")) return []
  const code = new URL(location).searchParams.get("code")
  return code === null ? [] : partsOf(code)
}

const isIncoming = ({ id }) => id.startsWith("incoming-")

/** Whether a request is one that carries secrets: to an authorization server, with a body that says what is granted. */
const carriesSecrets = ({ details, id }) =>
  id !== "incoming-request" && isRecord(details?.body) && typeof details.body.grant_type === "string"

const search = (text, place, secrets) =>
  secrets.filter((secret) => text.includes(secret)).map(() => `a secret of the scenario is in ${place}`)

/**
 * Where a secret is that does not belong there; it is not told which one.
 *
 * @param checks what the suite recorded
 * @param context what it gave to the client
 * @param printed what the client printed, by the name of the file
 */
export const leaksIn = (checks, context, printed) => {
  const secrets = [
    ...new Set([
      ...secretsIn(context),
      ...checks.flatMap(({ details }) => [...secretsIn(details?.body), ...codeIn(details?.headers?.location)])
    ])
  ]
  const requests = checks.filter((check) => isIncoming(check) && !carriesSecrets(check))
  return [
    ...requests.flatMap((check) => search(JSON.stringify(check.details ?? {}), check.description, secrets)),
    ...Object.entries(printed).flatMap(([file, text]) => search(text, file, secrets))
  ]
}
