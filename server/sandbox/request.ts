/** A request to the API of a simulator, what is read from it, and its reply. */
import { timingSafeEqual } from 'node:crypto'

/** `path`: below the address of the API. Header names are in lower case. */
export type SimulatorRequest = {
  method: string
  path: string
  headers: Record<string, unknown>
  body: Buffer
}

/** A reply as it is sent over HTTP. */
export type Reply = { status: number; text: string }

/** Returns the user and the secret of HTTP Basic credentials, both empty if the request has none. */
export function credentialsOf(headers: SimulatorRequest['headers']): { user: string; secret: string } {
  const [, encoded = ''] = /^Basic (.+)$/i.exec(String(headers.authorization ?? '')) ?? []
  const [, user = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  return { user, secret }
}

/** Takes equally long for a wrong secret and for the right one. */
export function isSameSecret(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Returns undefined for a body that is no JSON. */
export function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
