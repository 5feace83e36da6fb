/** The one-time links with which people set up how to sign in. */
import { type Context, systemClock } from '../context.ts'
import { putSignInLink } from '../storage/access/credentials.ts'
import type { Tx } from '../storage/db.ts'
import { consoleOrigin } from './address.ts'
import { digestOf, secretFrom } from './secret.ts'

const LINK_MS = 24 * 3_600_000

/** `start`: the first half of the new token, which somebody else passes on. Then only the second half is returned. */
export async function makeLink(tx: Tx, ctx: Context, id: string, start?: string): Promise<string | null> {
  const token = secretFrom(start ?? '')
  await putLink(tx, id, token)
  const link = linkOf(ctx, token)
  return link && start !== undefined ? token.slice(start.length) : link
}

/** Replaces the person's earlier link. */
export function putLink(tx: Tx, id: string, token: string): Promise<void> {
  return putSignInLink(tx, id, digestOf(token), new Date(systemClock.now().getTime() + LINK_MS))
}

/** Returns null while the console has no address. */
export function linkOf({ config }: Context, token: string): string | null {
  const origin = consoleOrigin(config)
  return origin && `${origin}/link/${token}`
}
