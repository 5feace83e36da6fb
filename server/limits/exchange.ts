/** Tells other processes what this one has counted, and learns what they have counted: at most once a second, and many buckets at once. */
import type { MemoryBuckets } from './token-bucket.ts'

/** A bucket is written and read at most once in this time. */
const EVERY_MS = 1_000
/** How many buckets one statement writes or reads. */
const BATCH = 500
/** Beyond so many, a flood of callers, a process counts for itself alone. */
const WAITING_MAX = 10_000

/** `fullInMs`: the time until the bucket is full. */
type Row = { digest: Buffer; fullInMs: number }

export type BucketStore = {
  /** Takes permits worth `takenMs` if the bucket has them. Null if the bucket is too new to be seen: ask again. */
  take(
    digest: Buffer,
    takenMs: number,
    burstMs: number,
  ): Promise<{ isTaken: boolean; fullInMs: number } | null>
  /** Adds what was taken, whether or not the buckets have it. Returns the buckets. */
  add(rows: { digest: Buffer; takenMs: number }[]): Promise<Row[]>
  /** Returns those that are not full. */
  read(digests: Buffer[]): Promise<Row[]>
}

/** `ms`: what was taken since the last exchange, in time of the bucket's rate. `burstMs`: the most that the bucket can miss. */
type Waiting = { ms: number; burstMs: number }

export type Exchange = {
  /** Notes what was taken. `ms`: 0 if somebody has only looked at the bucket. */
  note(key: string, noted: Waiting): void
  /** Writes and reads what waits. It happens by itself within a second. */
  run(): Promise<void>
  close(): void
}

type Parts = {
  store: BucketStore
  memory: Pick<MemoryBuckets, 'raise'>
  digestOf(key: string): Buffer
  onFailure(error: unknown): void
}

export function createExchange(parts: Parts): Exchange {
  const waiting = new Map<string, Waiting>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function add(key: string, { ms, burstMs }: Waiting): void {
    if (waiting.size >= WAITING_MAX && !waiting.has(key)) return
    waiting.set(key, { ms: ms + (waiting.get(key)?.ms ?? 0), burstMs })
  }

  function start(): void {
    if (isClosed || timer || waiting.size === 0) return
    timer = setTimeout(() => void run(), EVERY_MS)
    timer.unref()
  }

  async function run(): Promise<void> {
    clearTimeout(timer)
    const sent = [...waiting].slice(0, BATCH)
    for (const [key] of sent) waiting.delete(key)
    try {
      await reportTaken(parts, sent, (key) => waiting.get(key)?.ms ?? 0)
    } catch (error) {
      parts.onFailure(error)
      for (const [key, noted] of sent) add(key, noted)
    }
    timer = undefined
    start()
  }

  return {
    note(key, noted) {
      add(key, noted)
      start()
    },
    run,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** `takenSince`: what was taken of a bucket while this was under way. */
async function reportTaken(
  { store, memory, digestOf }: Parts,
  sent: [string, Waiting][],
  takenSince: (key: string) => number,
): Promise<void> {
  const all = sent.map(([key, noted]) => ({ key, ...noted, digest: digestOf(key) }))
  const byDigest = new Map(all.map((each) => [each.digest.toString('hex'), each]))
  const taken = all.filter(({ ms }) => ms > 0).map(({ digest, ms }) => ({ digest, takenMs: ms }))
  const immediate = all.filter(({ ms }) => ms === 0).map(({ digest }) => digest)
  const found = [
    ...(taken.length > 0 ? await store.add(taken) : []),
    ...(immediate.length > 0 ? await store.read(immediate) : []),
  ]
  for (const { digest, fullInMs } of found) {
    const bucket = byDigest.get(digest.toString('hex'))
    // Several processes may have given out more permits in the same second than the bucket has.
    if (bucket) memory.raise(bucket.key, Math.min(bucket.burstMs, fullInMs + takenSince(bucket.key)))
  }
}
