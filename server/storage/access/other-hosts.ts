/** Passkeys that were made at another host name of the console. Browsers offer them there alone. */
import { type Queryable, statement } from '../db.ts'

/** How many hosts and people are named. */
const NAMED_MAX = 10

/** `people`: who have them. */
export type OtherHost = { host: string; passkeys: number; people: number }
/** `shutOut`: the names of people who have no other way to sign in, at most NAMED_MAX. `shutOutCount`: of all of them. */
export type OtherHosts = { hosts: OtherHost[]; shutOut: string[]; shutOutCount: number }

const others = statement<OtherHost>(
  'list_other_passkey_hosts',
  `select host, count(*)::int as passkeys, count(distinct operator_id)::int as people from kassa.passkeys where host <> $1
   group by host order by count(*) desc, host limit ${NAMED_MAX}`,
)
const outside = statement<{ name: string; count: number }>(
  'list_people_shut_out',
  `select o.name, (count(*) over ())::int as count from kassa.console_users u
   join kassa.operators o on o.id = u.operator_id and o.removed_at is null
   where exists (select from kassa.passkeys p where p.operator_id = u.operator_id)
     and not exists (select from kassa.passkeys p where p.operator_id = u.operator_id and p.host = $1)
     and not exists (select from kassa.passwords w where w.operator_id = u.operator_id)
   order by o.name limit ${NAMED_MAX}`,
)

/** `host`: the present one. */
export async function readOtherHosts(db: Queryable, host: string): Promise<OtherHosts> {
  const [hosts, people] = [await others(db, [host]), await outside(db, [host])]
  return { hosts, shutOut: people.map(({ name }) => name), shutOutCount: people[0]?.count ?? 0 }
}
