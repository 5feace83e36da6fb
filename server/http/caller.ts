/** Finds the address and network of a caller. Behind the proxies that TRUST_PROXY names, Express finds the address. */
import type { Request } from 'express'
import { customerOf, householdOf } from '../limits/network.ts'

/**
 * Whether the caller's request came over https. Express reads X-Forwarded-Proto, but only from the proxies that TRUST_PROXY names, and
 * it reads the first value, which a caller may have written. So every proxy on the way has to say https.
 */
export function isSecure(request: Request): boolean {
  const protocols = String(request.headers['x-forwarded-proto'] ?? 'https').split(',')
  return request.secure && protocols.every((each) => each.trim().toLowerCase() === 'https')
}

/** `address`: of one household. `network`: of one customer. */
export function callerOf(request: Request): { address: string; network: string } {
  // Express finds the address anew each time.
  const ip = request.ip ?? ''
  return { address: householdOf(ip), network: customerOf(ip) }
}
