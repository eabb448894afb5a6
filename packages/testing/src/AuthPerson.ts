/**
 * The person at the browser: opens the page on which they agree, and is sent back at once.
 */

/** A person, and what they did. */
export interface AuthPerson {
  /** Opens a page and comes back with the parameters of the redirect, which is not followed. */
  readonly open: (url: URL) => Promise<URLSearchParams>
  /** The pages that were opened, in order. */
  readonly pages: ReadonlyArray<URL>
  /** How many were open at the same time at most. */
  readonly atOnce: () => number
}

/**
 * Makes a person.
 *
 * @param before waited for before a page is opened, such as for a test to let the person go on
 */
export const makeAuthPerson = (before?: (url: URL) => Promise<void>): AuthPerson => {
  const pages: Array<URL> = []
  let open = 0
  let most = 0
  return {
    pages,
    atOnce: () => most,
    open: async (url) => {
      pages.push(url)
      most = Math.max(most, ++open)
      try {
        await before?.(url)
        const response = await fetch(url, { redirect: "manual" })
        const location = response.headers.get("location")
        if (location !== null) return new URL(location).searchParams
        throw new Error(`the page answered ${response.status}: ${await response.text()}`)
      } finally {
        open--
      }
    }
  }
}
