/** Lets go of events that are old enough, in small batches. */
import type { Context } from '../context.ts'
import { oldestId } from '../context.ts'
import { deleteOldEvents } from '../storage/due-events.ts'

const BATCH = 500
const BATCHES_MAX = 100

/** Deletes the events, with their deliveries, that are older than EVENT_RETENTION and no longer to be sent. */
export async function dropOldEvents(ctx: Context): Promise<void> {
  const before = new Date(ctx.clock.now().getTime() - ctx.config.eventRetentionSeconds * 1000)
  for (let batch = 0; batch < BATCHES_MAX; batch++)
    if ((await deleteOldEvents(ctx.db, oldestId('evt', before), BATCH)) < BATCH) return
}
