/** The page for a request that the app never gets, because it is too long. A shop's domain can have more cookies than we read. */
import type { AppError, ErrorCode } from '../../errors.ts'
import { type MessageKind, messagePage } from '../../pages/message-page.ts'
import { negotiateLocale } from '../../pages/words/locale.ts'

/** Facts about the caller. Each may be absent, because only the last part of a head that came in parts is known. */
export type Asker = { path?: string | undefined; accept?: string | undefined; languages?: string | undefined }

const KINDS: Partial<Record<ErrorCode, MessageKind>> = {
  headers_too_large: 'headers_too_large',
  address_too_long: 'too_long',
}

/** Reads what a head that Node could not parse still shows. */
export function readHead(packet: Buffer | undefined): Asker {
  const head = packet?.toString('latin1') ?? ''
  const fieldOf = (name: string) => new RegExp(`^${name}:[ \\t]*([^\\r\\n]*)`, 'im').exec(head)?.[1]
  return {
    path: /^[A-Z]+ ([^ ?]*)/.exec(head)?.[1],
    accept: fieldOf('accept'),
    languages: fieldOf('accept-language'),
  }
}

/**
 * Returns a page for a browser, and null for a program. Where nothing of the head is left to see, its cookies have filled it, so it is
 * a browser's.
 */
export function refusalPage({ code }: AppError, requestId: string, asker: Asker): string | null {
  const kind = KINDS[code]
  const isProgram = asker.path
    ? /^\/(?:v1|api)(?:\/|$)/i.test(asker.path) || !/\btext\/html\b/.test(asker.accept ?? '')
    : code !== 'headers_too_large'
  if (!kind || isProgram) return null
  return messagePage({ locale: negotiateLocale(asker.languages), mode: 'live', kind, requestId })
}
