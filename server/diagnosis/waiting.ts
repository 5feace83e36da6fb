/** Says who and what waits after a restore that had no list of what was revoked since the backup. */

import { systemClock } from '../context.ts'
import { ADMIN } from '../invocation.ts'
import { counted } from '../messages/counted.ts'
import type { Db } from '../storage/db.ts'
import { listWaitingPeople, listWaitingTokens } from '../storage/restores/waiting.ts'
import type { Finding } from './finding.ts'

/** Names so many of the tokens that work. */
const NAMED_MAX = 5

export async function judgeWaiting(dbs: readonly Db[]): Promise<Finding[]> {
  const [first] = dbs
  if (!first) return []
  const people = await listWaitingPeople(first)
  const tokens = (await Promise.all(dbs.map((db) => listWaitingTokens(db, systemClock.now())))).flat()
  if (people.length + tokens.length === 0) return []
  const working = tokens.filter(({ waits }) => !waits).map(({ id }) => id)
  const waiting = tokens.length - working.length
  const named = `${working.slice(0, NAMED_MAX).join(', ')}${working.length > NAMED_MAX ? ' and others' : ''}`
  const message = `since the restore ${counted(people.length, 'person', 'people')} and ${counted(waiting, 'token')} that may move money wait to be confirmed${working.length > 0 ? `. Not looked at, although ${working.length === 1 ? 'it works' : 'they work'}: ${counted(working.length, 'token')} (${named})` : ''}`
  return [{ state: 'open', about: 'Restore', message, next: `${ADMIN} restore confirm` }]
}
