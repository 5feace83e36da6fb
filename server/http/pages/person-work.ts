/**
 * How much work one signed-in person may cause. A person with many tabs, a program with a person's cookie, and somebody who wants to slow the
 * payments down all share one budget: requests in a second, requests under way, forms with files, and pages that read much.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { LimitName } from '../../limits/settings.ts'
import { createAtOnce, type EndWork } from '../../limits/turns.ts'

/** A browser opens six connections. */
const REQUESTS_MAX = 8
/** Each may hold 5.6 MB, decode a picture or read a statement. */
const FILES_OF_PERSON_MAX = 2
const FILES_MAX = 4
/** Heavy requests at the same time, of one person and of all. One may read all entries of a month, or the whole audit log. */
const HEAVY_OF_PERSON_MAX = 2
const HEAVY_MAX = 4
const RETRY_SECONDS = 2

/** One for each process. */
const counts = new WeakMap<Context['db'], ReturnType<typeof openCounts>>()

const openCounts = () => ({
  requests: createAtOnce(REQUESTS_MAX),
  files: createAtOnce(FILES_OF_PERSON_MAX),
  allFiles: createAtOnce(FILES_MAX),
  heavy: createAtOnce(HEAVY_OF_PERSON_MAX),
  allHeavy: createAtOnce(HEAVY_MAX),
})

/** What a page does for a person. `isHeavy`: the more there is in the books, the more it reads. */
export type PersonWork = { hasFiles?: boolean; isHeavy?: boolean }

/**
 * Counts a request of this person, before its files are read. Returns the function that ends it.
 * @throws AppError rate_limited
 */
export async function enterAsPerson(
  ctx: Context,
  personId: string,
  { hasFiles = false, isHeavy = false }: PersonWork,
): Promise<EndWork> {
  if (!ctx.config.rateLimits) return () => {}
  await take(ctx, 'person', personId)
  if (hasFiles) await take(ctx, 'person_files', personId)
  const count = counts.get(ctx.db) ?? openCounts()
  counts.set(ctx.db, count)
  const starts = [() => count.requests(personId)]
  if (hasFiles)
    starts.push(
      () => count.files(personId),
      () => count.allFiles(''),
    )
  if (isHeavy)
    starts.push(
      () => count.heavy(personId),
      () => count.allHeavy(''),
    )
  const leaves: EndWork[] = []
  const leaveAll = () => {
    for (const leave of leaves) leave()
  }
  for (const start of starts) {
    const leave = start()
    if (leave) leaves.push(leave)
    else {
      leaveAll()
      throw new AppError('rate_limited', {
        retryAfterSeconds: RETRY_SECONDS,
        about: { limit: 'person_at_once' },
      })
    }
  }
  return leaveAll
}

async function take({ config, buckets }: Context, name: LimitName, personId: string): Promise<void> {
  const limit = config.rateLimits?.[name]
  const { waitMs } = limit ? await buckets.take(`${name} ${personId}`, limit) : { waitMs: 0 }
  if (waitMs > 0)
    throw new AppError('rate_limited', {
      retryAfterSeconds: Math.ceil(waitMs / 1_000),
      about: { limit: name },
    })
}
