/** Whether an act accepts these values. They come from a form, a command, or code that calls the act with typed values. */
import { z } from 'zod'
import { refuseCardData } from '../card-number/card-data.ts'
import { AppError } from '../errors.ts'
import type { AnyRow } from './act.ts'
import { fieldOf } from './field.ts'

/**
 * Returns the values if they are what the row accepts, whatever a face has let through.
 * @throws AppError validation_failed that names what does not fit; raw_card_data_rejected for a card number in a person's own words
 */
export function fitting(row: Pick<AnyRow, 'input' | 'wrong'>, given: object): object {
  refuseCardsIn(row, given)
  const { data, error } = z.strictObject(row.input).safeParse(given)
  const misfit: string | null = data ? (row.wrong?.(data) ?? null) : null
  if (data && misfit === null) return data
  const issues = (error?.issues ?? []).map(({ path, message }) => [path.join('.'), message] as const)
  const errors = Object.fromEntries(misfit === null ? issues : [[misfit, 'does not fit the other values.']])
  const message = Object.entries(errors).map(([name, problem]) => `${name} ${problem}`)
  throw new AppError('validation_failed', { message: message.join('\n'), errors })
}

/** The one place for all acts: what a person writes is kept and shown, so no act can forget it. */
function refuseCardsIn({ input }: Pick<AnyRow, 'input'>, given: object): void {
  for (const [name, text] of Object.entries(given)) {
    const member = input[name]
    if (member && fieldOf(member).kind === 'words') refuseCardData({ [name]: text }, 'command')
  }
}
