/** Passwords that were tried for e-mail addresses that nobody has. */
import { type Queryable, statement } from '../db.ts'

/** Beyond so many networks a day the tries are counted together. */
const NETWORKS_MAX = 200

export type UnknownSignIns = { tries: number; networks: number; lastAt: Date | null }

const note = statement(
  'note_unknown_sign_in',
  `insert into kassa.unknown_sign_ins as u (day, network, tries, last_subject, last_at)
   select ($1::timestamptz at time zone 'UTC')::date,
     case when exists (select from kassa.unknown_sign_ins where day = ($1::timestamptz at time zone 'UTC')::date and network = $2)
       or (select count(*) from (select from kassa.unknown_sign_ins where day = ($1::timestamptz at time zone 'UTC')::date limit $4) d) < $4
       then $2 else '' end,
     1, $3, $1
   on conflict (day, network) do update
     set tries = u.tries + 1, last_subject = excluded.last_subject, last_at = excluded.last_at`,
)

/** `subject`: a digest of what was typed. */
export async function noteUnknownSignIn(
  tx: Queryable,
  { network, subject, at }: { network: string; subject: string; at: Date },
): Promise<void> {
  await note(tx, [at, network, subject, NETWORKS_MAX])
}

/** Counts the tries of the days that `since` and everything after it belong to. */
export const countUnknownSignIns = statement<UnknownSignIns>(
  'count_unknown_sign_ins',
  `select coalesce(sum(tries), 0)::int8 as tries, count(distinct network)::int as networks, max(last_at) as "lastAt"
   from kassa.unknown_sign_ins where day >= ($1::timestamptz at time zone 'UTC')::date and last_at > $1`,
).row((since: Date) => [since])

export const deleteOldUnknownSignIns = statement(
  'delete_old_unknown_sign_ins',
  `delete from kassa.unknown_sign_ins where day < ($1::timestamptz at time zone 'UTC')::date`,
).run((before: Date) => [before])
