/** Parses CALLBACK_ALLOW, the exceptions to the rule that callback URLs are public https addresses. */
import { isThisMachine } from '../outbound/address.ts'

const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/

/** Parses `loopback`, `host` and `host:port`, separated by commas. @throws RangeError that names the first wrong entry */
export function parseCallbackAllow(text: string): string[] {
  const entries = text
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean)
  const wrong = entries.find((entry) => !HOST.test(entry) || !URL.canParse(`http://${entry}`))
  if (wrong === undefined) return entries
  throw new RangeError(`has the entry "${wrong}", but each entry must be loopback, a host or host:port`)
}

/** Returns whether callbacks could reach this machine itself. */
export function allowsLoopback(text: string): boolean {
  return parseCallbackAllow(text).some((entry) => {
    const { hostname } = new URL(`http://${entry}`)
    return hostname === 'loopback' || isThisMachine(hostname)
  })
}
