/** The first user of a sandbox. */
import { createHmac } from 'node:crypto'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { hasCredentials } from '../storage/access/credentials.ts'
import { inTransaction } from '../storage/db.ts'
import { putLink } from './link.ts'
import { addUser, getPerson, listEverybody } from './users.ts'

const FIRST = { name: 'First user', role: 'administrator', email: 'first@localhost' } as const

/**
 * Returns a one-time link to the console, for as long as nobody has signed in there. In the sandbox nobody has added a person yet, and
 * the person who has started it should see the console at once. The person gets no key, so commands still need none.
 * Every start shows the same link until it is used, so processes that start together do not end the links of each other.
 */
export async function firstLink(ctx: Context, origin: string): Promise<string | null> {
  if (ctx.config.mode === 'live') return null
  const present = (await listEverybody(ctx)).filter(({ operator }) => operator.removedAt === null)
  if (present.length > 1 || (await inTransaction(ctx.db, hasCredentials))) return null
  const [only] = present
  if (only && only.user?.email !== FIRST.email) return null
  const id = only?.operator.id ?? (await addFirst(ctx))
  const token = createHmac('sha256', ctx.vault.derive('first-link')).update(id).digest('base64url')
  await inTransaction(ctx.db, (tx) => putLink(tx, id, token))
  return `${origin}/link/${token}`
}

/** Returns the id of the first user, also if another process that starts at the same time has just added it. */
async function addFirst(ctx: Context): Promise<string> {
  try {
    return (await addUser(ctx, { ...FIRST, isKeyless: true })).operator.id
  } catch (error) {
    if (error instanceof AppError && error.details.reason === 'person_named')
      return (await getPerson(ctx, FIRST.name)).operator.id
    throw error
  }
}
