/** Examines a page with a pay button: its origin, its snippet, its policy, and the address where its buyers return. */
import { type Diagnosis, diagnoseEncryption, diagnoseOrigin } from '../channels/doctor/diagnosis.ts'
import type { Finding } from '../channels/doctor/finding.ts'
import { diagnosePolicy } from '../channels/doctor/policy.ts'
import { diagnoseReturn } from '../channels/doctor/return.ts'
import { diagnoseSnippet } from '../channels/doctor/snippet.ts'
import type { Context } from '../context.ts'
import type { InstallationRecord } from '../merchants/installation.ts'
import { getChannel } from './channel.ts'

/** The page, as far as the operator describes it. `snippet` is the text of the button's tag, or of the whole page. */
export type ExaminedPage = {
  origin: string
  policy?: string | undefined
  returnUrl?: string | undefined
  snippet?: string | undefined
}

export type FaultCode = 'mixed_content' | 'snippet_broken' | 'policy_blocks' | 'return_url_not_allowed'

/** `snippet` and `policy` are null if the operator gave none. */
export type Examination = Diagnosis & {
  installation: InstallationRecord
  snippet: Finding[] | null
  policy: Finding[] | null
  returnUrl: Finding[]
  /** Whether the page itself decides where buyers return, or has to. Otherwise the installation's address applies. */
  returnMatters: boolean
  /** The first finding that stops the button, besides an origin that is not allowed. */
  fault: { code: FaultCode; finding: Finding } | null
}

/** `id`: the installation's id or its public key. @throws AppError not_found */
export async function examinePage(ctx: Context, id: string, page: ExaminedPage): Promise<Examination> {
  const { installation, channel } = await getChannel(ctx, id)
  const { apiOrigin, script } = channel
  const diagnosis = diagnoseOrigin(installation, page.origin)
  const isOrigin = URL.canParse(page.origin)
  const encryption = isOrigin ? diagnoseEncryption(page.origin, apiOrigin) : []
  const wanted = { scriptUrl: script.pinned?.scriptUrl ?? script.moving, apiOrigin, pageOrigin: page.origin }
  const policy = page.policy === undefined || !isOrigin ? null : diagnosePolicy(page.policy, wanted)
  const snippet = page.snippet === undefined ? null : diagnoseSnippet(page.snippet, channel)
  const named = page.returnUrl ?? snippet?.returnUrl
  const returnUrl = diagnoseReturn(installation, named ?? '', isOrigin ? page.origin : undefined)
  return {
    ...diagnosis,
    installation,
    findings: [...diagnosis.findings, ...encryption],
    snippet: snippet?.findings ?? null,
    policy,
    returnUrl,
    returnMatters: named !== undefined || (diagnosis.allowed && installation.returnUrl === null),
    fault: findFault([
      ['mixed_content', encryption],
      ['snippet_broken', snippet?.findings ?? []],
      ['policy_blocks', policy ?? []],
      ['return_url_not_allowed', named === undefined ? [] : returnUrl],
    ]),
  }
}

function findFault(groups: [code: FaultCode, findings: Finding[]][]): Examination['fault'] {
  const faults = groups.flatMap(([code, findings]) =>
    findings.filter(({ weight }) => weight === 'bad').map((finding) => ({ code, finding })),
  )
  return faults[0] ?? null
}
