/** Who and what waits after a restore until somebody on the host confirms it. */
import { type Queryable, statement } from '../db.ts'

export type WaitingPerson = { id: string; name: string; role: string; since: Date }
/** `waits`: false for a token that works and was not looked at. */
export type WaitingToken = { id: string; merchantId: string; scopes: string[]; since: Date; waits: boolean }

export const listWaitingPeople = statement<WaitingPerson>(
  'list_waiting_people',
  `select id, name, role, waits_since as since from kassa.operators
   where waits_since is not null and removed_at is null order by id`,
).all()

export const listWaitingTokens = statement<WaitingToken>(
  'list_waiting_tokens',
  `select id, merchant_id as "merchantId", scopes, coalesce(waits_since, listed_since) as since, waits_since is not null as waits
   from world.api_keys where coalesce(waits_since, listed_since) is not null and revoked_at is null
     and (expires_at is null or expires_at > $1) order by id`,
).all((now: Date) => [now])

const person = statement<{ id: string }>(
  'confirm_waiting_person',
  `update kassa.operators set waits_since = null where waits_since is not null
     and ($1::text is null or id = $1 or lower(name) = lower($1)) returning id`,
)
const token = statement<{ id: string }>(
  'confirm_waiting_token',
  `update world.api_keys set waits_since = null, listed_since = null where coalesce(waits_since, listed_since) is not null
     and ($1::text is null or id = $1) returning id`,
)

/** `which`: an id or a name; null for everybody. Returns the ids. */
export async function confirmPeople(tx: Queryable, which: string | null): Promise<string[]> {
  return (await person(tx, [which])).map(({ id }) => id)
}

/** `which`: an id; null for every token of the world. Returns the ids. */
export async function confirmTokens(tx: Queryable, which: string | null): Promise<string[]> {
  return (await token(tx, [which])).map(({ id }) => id)
}
