/** Calls a tool natively by hand, round after round, as a client does whose user is asked something. */

const version = "2026-07-28"

/**
 * @param address where the door is asked for
 * @param args the arguments, the same in each round
 * @returns sends a round: nothing at first, then the state and the answers; gives the message that came back
 */
export const nativeRounds =
  (door: (request: Request) => Promise<Response>, address: string, name: string, args: object) =>
  async (round: object = {}) => {
    const response = await door(
      new Request(address, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": version,
          "mcp-method": "tools/call",
          "mcp-name": name
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: {
            name,
            arguments: args,
            ...round,
            _meta: {
              "io.modelcontextprotocol/protocolVersion": version,
              "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {}, url: {} } }
            }
          }
        })
      })
    )
    return response.json()
  }
