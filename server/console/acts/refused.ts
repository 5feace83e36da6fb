/** Why a verb has refused what a form has sent. */
import { AppError, type Reason } from '../../errors.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { refusalOf } from '../refusals.ts'
import { translate } from '../words/translate.ts'
import type { FormAct } from './act.ts'

const UNKNOWN = ['not_found', 'payment_not_found', 'token_not_found', 'subscription_not_found']

/** The provider's driver says more, in English alone. */
const DETAILED: readonly Reason[] = ['account_settings', 'account_not_confirmed']

/** `detail`: what the verb says itself, in English, where no words of the console are as exact. */
export type RefusedForm = { problem: string; detail: string | null; field: string | undefined }

/** @throws the error itself, if there is nothing that the reader can do about it */
export function refusedOf(locale: Locale, act: FormAct, error: unknown): RefusedForm {
  if (!(error instanceof AppError)) throw error
  const blames = act.blames(error.message)
  const { reason, errors = {} } = error.details
  // Another shop's thing answers as one that does not exist.
  if (UNKNOWN.includes(error.code))
    return { problem: translate(locale, 'setUnknown'), detail: null, field: blames }
  const isExact = reason !== undefined || Object.keys(errors).length > 0
  if (!isExact && error.code === 'validation_failed')
    return { problem: translate(locale, 'setRefused'), detail: error.message, field: blames }
  const field = reason === 'changed_meanwhile' ? undefined : blames
  const detail = locale === 'en' && DETAILED.some((each) => each === reason) ? error.message : null
  return { problem: refusalOf(locale, error), detail, field }
}
