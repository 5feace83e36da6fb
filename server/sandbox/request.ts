/** A request to the API of a simulator, and its reply. */

/** `path`: below the address of the API. Header names are in lower case. */
export type SimulatorRequest = {
  method: string
  path: string
  headers: Record<string, unknown>
  body: Buffer
}

/** A reply as it is sent over HTTP. */
export type Reply = { status: number; text: string }
