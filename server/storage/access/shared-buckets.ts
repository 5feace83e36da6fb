/** Buckets of rate limits that all processes share. All times are those of the database's clock. */
import { type Queryable, statement } from '../db.ts'

/** More rows than this are an attack from very many networks. The buckets that would be full soonest are forgotten then. */
const ROWS_MAX = 100_000

/** `fullInMs`: the time until the bucket is full. */
export type BucketRow = { digest: Buffer; fullInMs: number }

const MS = "interval '1 millisecond'"
const NOW = 'now as materialized (select clock_timestamp() as at)'
const AT = '(select at from now)'
const IN_MS = `(extract(epoch from full_at - ${AT}) * 1000)::float8 as "fullInMs"`

/**
 * Takes permits worth `takenMs` if the bucket has them. `fullInMs` is the time after that, or, if it has not, the present one.
 * Null if the bucket has none left, and its row is newer than this statement's view of the table. Then the next call sees it.
 */
export const takeFromBucket = statement<{ isTaken: boolean; fullInMs: number }>(
  'take_from_shared_bucket',
  `with ${NOW}, taken as (
     insert into kassa.shared_buckets as b (digest, full_at) values ($1, ${AT} + $2::float8 * ${MS})
     on conflict (digest) do update set full_at = greatest(b.full_at, ${AT}) + $2::float8 * ${MS}
       where greatest(b.full_at, ${AT}) + $2::float8 * ${MS} <= ${AT} + ($3::float8 + 0.001) * ${MS}
     returning full_at
   )
   select true as "isTaken", ${IN_MS} from taken
   union all
   select false, ${IN_MS} from kassa.shared_buckets where digest = $1 and not exists (select from taken)`,
).first((digest: Buffer, takenMs: number, burstMs: number) => [digest, takenMs, burstMs])

/** Adds what was taken elsewhere. Sorted, so that two processes never wait for each other. */
export const addToBuckets = statement<BucketRow>(
  'add_to_shared_buckets',
  `with ${NOW}
   insert into kassa.shared_buckets as b (digest, full_at)
   select given.digest, ${AT} + given.taken * ${MS}
   from unnest($1::bytea[], $2::float8[]) as given (digest, taken) order by given.digest
   on conflict (digest) do update set full_at = greatest(b.full_at, ${AT}) + (excluded.full_at - ${AT})
   returning digest, ${IN_MS}`,
).all((rows: readonly { digest: Buffer; takenMs: number }[]) => [
  rows.map(({ digest }) => digest),
  rows.map(({ takenMs }) => takenMs),
])

export const readBuckets = statement<BucketRow>(
  'read_shared_buckets',
  `with ${NOW} select digest, ${IN_MS} from kassa.shared_buckets where digest = any($1) and full_at > ${AT}`,
).all((digests: readonly Buffer[]) => [digests])

const deleteFull = statement(
  'delete_full_buckets',
  `delete from kassa.shared_buckets where digest in (
     select digest from kassa.shared_buckets where full_at <= greatest(clock_timestamp(),
       (select full_at from kassa.shared_buckets order by full_at desc offset $2 limit 1))
     order by full_at limit $1) returning digest`,
).count((limit: number, rowsMax: number) => [limit, rowsMax])

/** Deletes full buckets, and those above the bound. Returns how many rows were deleted, up to `limit`. */
export function deleteFullBuckets(db: Queryable, limit: number, rowsMax = ROWS_MAX): Promise<number> {
  return deleteFull(db, limit, rowsMax)
}
