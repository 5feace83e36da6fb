/** Throws old lines of payments' histories away. */
import { type Queryable, statement } from '../db.ts'

// The last line stays, because a history ends with the payment's state. Lines without an event stay, because the numbers of later
// events are counted without them. The position saves reading the same payments again.
const prune = statement<{ seen: number; deleted: number }>(
  'delete_old_payment_changes',
  `with old as (
     select merchant_id, id, version, status, updated_at from world.payments
     where id > coalesce((select position from world.pruned where name = 'payment_changes'), '') and id < $1
     order by id limit $4
   ), gone as (
     delete from world.payment_changes c using old
     where c.merchant_id = old.merchant_id and c.payment_id = old.id and c.version < old.version and old.updated_at < $2
       and old.status <> all($3) and c.to_status <> all($5)
     returning 1
   ), kept as (
     insert into world.pruned (name, position) select 'payment_changes', max(id) from old having count(*) > 0
     on conflict (name) do update set position = greatest(pruned.position, excluded.position)
   )
   select (select count(*)::int from old) as seen, (select count(*)::int from gone) as deleted`,
)

/**
 * Looks at the next `limit` payments that are older than `beforeId`. If such a payment did not change since `before` and its status is
 * not in `open`, it deletes all its changes but the last and those to a status of `silent`. Returns how many payments it has looked at,
 * and how many changes it deleted.
 */
export async function deleteOldChanges(
  db: Queryable,
  {
    beforeId,
    before,
    open,
    silent,
    limit,
  }: { beforeId: string; before: Date; open: readonly string[]; silent: readonly string[]; limit: number },
): Promise<{ seen: number; deleted: number }> {
  return (await prune(db, [beforeId, before, [...open], limit, [...silent]]))[0] ?? { seen: 0, deleted: 0 }
}
