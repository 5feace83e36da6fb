/** The first user of a sandbox. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { hasCredentials } from '../storage/access/credentials.ts'
import { inTransaction } from '../storage/db.ts'
import { addUser, changeUser, listEverybody } from './users.ts'

const FIRST = { name: 'First user', role: 'administrator', email: 'first@localhost' } as const

/**
 * Returns a one-time link to the console, for as long as nobody has signed in there. In the sandbox nobody has added a person yet, and
 * whoever has started it should see the console at once. The person gets no key, so commands still need none.
 */
export async function firstLink(ctx: Context, origin: string): Promise<string | null> {
  if (ctx.config.mode === 'live') return null
  const present = (await listEverybody(ctx)).filter(({ operator }) => operator.removedAt === null)
  if (present.length > 1 || (await inTransaction(ctx.db, hasCredentials))) return null
  const [only] = present
  if (only && only.user?.email !== FIRST.email) return null
  const link = only ? await newLink(ctx, only.operator.id) : await addFirst(ctx)
  return link && origin + new URL(link).pathname
}

async function newLink(ctx: Context, id: string): Promise<string | null> {
  return (await changeUser(ctx, id, { ends: true, isTold: false })).link
}

/** Null if another process that starts at the same time has just added the person: it shows the link. */
async function addFirst(ctx: Context): Promise<string | null> {
  try {
    return (await addUser(ctx, { ...FIRST, isKeyless: true })).link
  } catch (error) {
    if (error instanceof AppError && error.details.reason === 'person_named') return null
    throw error
  }
}
