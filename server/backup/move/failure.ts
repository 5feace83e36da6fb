/** Tells the operator what a move has left behind that lost a database, and what to do next. */
import { AppError } from '../../errors.ts'
import { findMove, type Move } from '../../storage/backup/fence.ts'
import { asStorageError, type Db } from '../../storage/db.ts'

/** Each check fails if the connection that holds the exclusive lock on a database was lost. */
export type ExclusiveLocks = { expectAlone(): Promise<void>; expectAloneThere(): Promise<void> }
type Moving = { from: Db; target: string }
/** `unknown`: the database that everything comes from cannot be asked. */
type KnownMove = Move | null | 'unknown'

/** @throws AppError storage_unavailable that names the other database, and says what an earlier command has left */
export async function expectReachable(to: Db, { from, target }: Moving): Promise<void> {
  await to.query('select').catch(async (cause: unknown) => {
    const move = await findMove(from)
    const message = `The other database (${target}) cannot be reached: ${reasonOf(cause)}. This command has changed nothing. ${consequenceOf(move)} Check the address, or wait until the other database can be reached, and run this command again.`
    throw unavailable(message, { cause, move })
  })
}

/** Returns the error that the command ends with. An error that is no lost connection is returned unchanged. */
export async function explainLoss(
  error: unknown,
  { from, target, ...alone }: Moving & ExclusiveLocks,
): Promise<unknown> {
  if (error instanceof AppError && error.details.message !== undefined) return error
  const [isHereLost, isThereLost] = [await isLost(alone.expectAlone), await isLost(alone.expectAloneThere)]
  if (!isHereLost && !isThereLost && !isUnavailable(error)) return error
  const move: KnownMove = isHereLost ? 'unknown' : await findMove(from).catch((): 'unknown' => 'unknown')
  const message = `${describeFailure(move, { target, reason: reasonOf(error) })} ${consequenceOf(move)} ${adviceOf(move)}`
  return unavailable(message, { cause: error, move })
}

function describeFailure(move: KnownMove, { target, reason }: { target: string; reason: string }): string {
  if (move === 'unknown')
    return `The connection to this database was lost during the move: ${reason}. Nothing that was stored is lost.`
  if (move?.finishedAt)
    return `Everything is in ${target}, and this database is closed, but ${target} could not be opened: ${reason}.`
  return `A database could not be used during the move to ${target}: ${reason}. Nothing was moved.`
}

function consequenceOf(move: KnownMove): string {
  if (move === 'unknown') return 'No service starts on this database until the move has ended or is given up.'
  if (move?.finishedAt) return 'No payment can be stored until the other database is open.'
  if (move) return 'This database refuses writes since an earlier run of this command.'
  return 'The service can be started on this database.'
}

function adviceOf(move: KnownMove): string {
  if (move === 'unknown')
    return 'When this database can be reached, run this command again: it continues the move.'
  if (move?.finishedAt) return 'When it can be reached, run this command again: it takes only a moment.'
  return 'When both databases can be reached, run this command again.'
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

/** A move that has not ended can be given up instead. */
function unavailable(message: string, { cause, move }: { cause: unknown; move: KnownMove }): AppError {
  const mayReopen = move === 'unknown' || (move !== null && !move.finishedAt)
  return new AppError('storage_unavailable', {
    message,
    cause,
    ...(mayReopen && { next: [{ act: 'reopen_database' }] }),
  })
}
