/** Why a proposal cannot be made or decided. */
import { AppError } from '../../errors.ts'
import type { ProposalRecord } from '../../storage/audit/proposals.ts'
import type { Proposer } from './stake.ts'

/** @throws AppError not_found */
export function found(proposal: ProposalRecord | null, id: string): ProposalRecord {
  if (proposal) return proposal
  throw new AppError('not_found', { message: `There is no proposal ${id} in this world.` })
}

/** @throws AppError validation_failed for the user of the host, who is nobody in particular */
export function expectNamed({ id }: Pick<Proposer, 'id'>): string {
  if (id !== null) return id
  throw refused(
    'This needs two persons, and no operator key was given. Set KASSA_OPERATOR_KEY to your personal key.',
  )
}

const WHY_CHARS_MAX = 240

/** Returns what a shop reads of a refusal. @throws AppError validation_failed */
export function expectWhy(text: string): string {
  const why = text.trim()
  if (why === '' || [...why].length > WHY_CHARS_MAX)
    throw new AppError('validation_failed', {
      reason: 'why_wrong',
      message: `Write why, in 1 to ${WHY_CHARS_MAX} characters. The shop reads it.`,
    })
  return why
}

export function refused(message: string): AppError {
  return new AppError('validation_failed', { message })
}
