/** Tells the operator what a move has left behind that lost a database, and what to do next. */
import { AppError } from '../../errors.ts'
import { findMove, type Move } from '../../storage/backup/fence.ts'
import { asStorageError, type Db } from '../../storage/db.ts'

/** Each fails if the connection was lost that keeps other commands away from a database. */
export type Alone = { expectAlone(): Promise<void>; expectAloneThere(): Promise<void> }
type Moving = Alone & { from: Db; target: string }

/** @throws AppError storage_unavailable that names the other database */
export async function expectReachable(to: Db, target: string): Promise<void> {
  await to.query('select').catch((cause: unknown) => {
    throw unavailable(
      `The other database (${target}) cannot be reached: ${reasonOf(cause)}. Nothing was changed. Check its address, or wait until it can be reached, and run this command again.`,
      cause,
    )
  })
}

/** Returns the error that the command ends with. An error that is no lost connection is returned unchanged. */
export async function explainLoss(error: unknown, { from, target, ...alone }: Moving): Promise<unknown> {
  if (error instanceof AppError && error.details.message !== undefined) return error
  const [isHereLost, isThereLost] = [await isLost(alone.expectAlone), await isLost(alone.expectAloneThere)]
  if (!isHereLost && !isThereLost && !isUnavailable(error)) return error
  const move = isHereLost ? 'unknown' : await findMove(from).catch((): 'unknown' => 'unknown')
  return unavailable(tell(move, { target, reason: reasonOf(error) }), error, move === 'unknown')
}

function tell(move: Move | null | 'unknown', { target, reason }: { target: string; reason: string }): string {
  if (move === 'unknown')
    return `The connection to this database was lost during the move: ${reason}. Nothing that was stored is lost, but payments may be refused until the move goes on. When this database can be reached, run this command again. It goes on where it stopped.`
  if (move?.finishedAt)
    return `Everything is in ${target} and nothing can be stored here any more, but ${target} could not be opened: ${reason}. No payment can be stored until it is open. When it can be reached, run this command again. It takes only a moment.`
  return `A database could not be used during the move to ${target}: ${reason}. Nothing was moved, and the service goes on with this database. When both databases can be reached, run this command again. It copies everything anew.`
}

const isLost = (expectAlone: () => Promise<void>) =>
  expectAlone().then(
    () => false,
    () => true,
  )

const isUnavailable = (error: unknown) => {
  const known = asStorageError(error)
  return known instanceof AppError && known.code === 'storage_unavailable'
}

function reasonOf(error: unknown): string {
  const cause = error instanceof AppError ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  return (cause.message || String((cause as { code?: string }).code)).replace(/\.$/, '')
}

function unavailable(message: string, cause: unknown, mayReopen = false): AppError {
  return new AppError('storage_unavailable', {
    message,
    cause,
    ...(mayReopen && { next: [{ act: 'reopen_database' }] }),
  })
}
