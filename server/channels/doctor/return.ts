/** Checks the return URL of a page. The check of the widget endpoint is the one that decides. */
import { AppError } from '../../errors.ts'
import type { InstallationRecord } from '../../merchants/installation.ts'
import { resolveReturnUrl } from '../../merchants/installation.ts'
import { isLocal } from './diagnosis.ts'
import { bad, type Finding, good, note } from './finding.ts'

export const RETURN_MAX_CHARS = 300

/** `given`: the page's return URL; empty if it has none. `pageOrigin`: the base of a relative return URL. */
export function diagnoseReturn(
  { origins, returnUrl }: Pick<InstallationRecord, 'origins' | 'returnUrl'>,
  given: string,
  pageOrigin: string | undefined,
): Finding[] {
  if (given === '')
    return [returnUrl === null ? bad('returnMissing') : note('returnDefault', { url: returnUrl })]
  if (given.length > RETURN_MAX_CHARS) return [bad('returnLong', { max: RETURN_MAX_CHARS })]
  const url = URL.canParse(given, pageOrigin) ? new URL(given, pageOrigin) : null
  if (!url) return [bad('returnBroken', { given })]
  if (!/^https?:$/.test(url.protocol)) return [bad('returnNotWeb')]
  if (url.username || url.password) return [bad('returnUser')]
  if (!isAccepted(given, origins, pageOrigin)) return [bad('returnForeign', { origin: url.origin })]
  return [
    good('returnFine', { url: url.href }),
    ...(url.protocol === 'http:' && !isLocal(url) ? [note('returnHttp')] : []),
  ]
}

function isAccepted(given: string, origins: string[], base: string | undefined): boolean {
  try {
    resolveReturnUrl(given, { origins, base })
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'return_url_not_allowed') return false
    throw error
  }
}
