/**
 * What the checkpoints show of the triggers that write the log. The owner of the tables can stop a trigger, change something, and start it
 * again. Then nothing is wrong with the log itself, but the next checkpoint has another digest of the triggers.
 */
import type { Checkpoint, CheckpointGuard } from '../storage/audit/checkpoints.ts'
import type { Watch } from '../storage/audit/watched.ts'

type GuardSeen = { at: string | null; isGuarded: boolean; watch: Watch }

/**
 * Names each time between two looks in which somebody has touched the triggers. `checkpoints`: those that this deployment has signed.
 * `fillings`: when the database was filled by a restore or a move.
 */
export function listDisturbances(
  checkpoints: readonly Checkpoint[],
  now: Pick<CheckpointGuard, 'isGuarded'> & { watch: Watch },
  fillings: readonly string[],
): string[] {
  const seen: GuardSeen[] = checkpoints.flatMap(({ at, guard }) =>
    guard?.watch ? [{ at, isGuarded: guard.isGuarded, watch: guard.watch }] : [],
  )
  seen.sort((one, other) => (one.at ?? '').localeCompare(other.at ?? ''))
  seen.push({ ...now, at: null })
  return seen.flatMap((later, index) => {
    const earlier = seen[index - 1]
    return !earlier || isExplained(earlier, later, fillings) ? [] : [explain(earlier, later)]
  })
}

function isExplained(earlier: GuardSeen, later: GuardSeen, fillings: readonly string[]): boolean {
  const [was, is] = [earlier.watch, later.watch]
  if (was.place === is.place && was.digest === is.digest) return true
  // An upgrade makes triggers anew, and so does the step that gives the log to another owner.
  if (was.migrations !== is.migrations || earlier.isGuarded !== later.isGuarded) return true
  if (was.place === is.place) return false
  const [before, after] = [was.place, is.place].map((place) => place.split(' ')[0])
  const isFilled = fillings.some((at) => at > (earlier.at ?? '') && (later.at === null || at <= later.at))
  return before !== after || isFilled
}

const explain = ({ at }: GuardSeen, later: GuardSeen) =>
  `Between the checkpoint of ${at} and ${later.at === null ? 'now' : `that of ${later.at}`} somebody has stopped or replaced triggers of the audit log, or emptied or rewritten a table that they watch. What was changed meanwhile may have no row. VACUUM FULL, CLUSTER, a grant on the functions, and a copy of the database without the commands of Kassa look the same.`
