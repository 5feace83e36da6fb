/** `installation doctor`: why a page is accepted or refused, and what mends it. */
import { type Diagnosis, diagnoseOrigin } from '../merchants/diagnosis.ts'
import { diagnosePolicy } from '../merchants/diagnosis-policy.ts'
import { diagnoseReturn } from '../merchants/diagnosis-return.ts'
import { type Finding, wordFinding } from '../merchants/diagnosis-words.ts'
import { getInstallation } from '../merchants/installation.ts'
import { verb } from './command.ts'
import { optional, required } from './flag.ts'
import { paragraphs, plain } from './layout.ts'
import { currentScript } from './widget-script.ts'

export const INSTALLATION = required('ID', "the installation's id (ins_...) or its public key (kpk_...)")

export const doctor = verb({
  name: 'doctor',
  summary: 'Say why a page on an origin is accepted or refused, and how to mend it',
  flags: {
    installation: INSTALLATION,
    origin: required('O', "the page's origin, as the browser's console or the server's log names it"),
    csp: optional(
      'TEXT',
      "the page's Content-Security-Policy header, to see whether it lets the button work",
    ),
    returnUrl: optional('U', 'where the page sends buyers back to (return-url)'),
  },
  examples: [
    '--installation ins_01... --origin https://www.shop.example',
    `--installation ins_01... --origin https://shop.example --csp "script-src 'self'" --return-url https://shop.example/thanks`,
  ],
  async run(ctx, { installation: id, origin, csp, returnUrl }) {
    const record = await getInstallation(ctx, id)
    const { origins, revokedAt, publicKey } = record
    const diagnosis = diagnoseOrigin(record, origin)
    const { allowed, findings, remedy } = diagnosis
    const apiOrigin = new URL(ctx.baseUrl).origin
    const { scriptUrl } = await currentScript(ctx)
    const wanted = { scriptUrl, apiOrigin, pageOrigin: origin }
    const isOrigin = URL.canParse(origin)
    const policy = csp === undefined || !isOrigin ? null : diagnosePolicy(csp, wanted)
    const back = diagnoseReturn(record, returnUrl ?? '', isOrigin ? origin : undefined)
    const json = {
      ...{ installationId: record.id, publicKey, origin, allowed, revoked: revokedAt !== null, origins },
      findings: findings.map((each) => wordFinding(each)),
      ...(policy && { policy: present(policy) }),
      return: present(back),
      fix: remedy && { advice: wordFinding(remedy.advice), commands: remedy.commands },
    }
    const verdict = `A page on ${origin} ${allowed ? 'may' : 'may not'} use ${publicKey}.`
    // Said also where the page names none: it is a fault of the page only if the installation has none either.
    const isReturnAsked = returnUrl !== undefined || (allowed && record.returnUrl === null)
    const text = paragraphs(
      [verdict, ...findings.map((each) => wordFinding(each))].map(plain).join('\n'),
      policy && sentences('Content security policy', policy),
      isReturnAsked && sentences('Return URL', back),
    )
    const problem = findProblem(diagnosis, { verdict, policy, back: returnUrl === undefined ? [] : back })
    return problem ? { json, text, problem } : { json, text }
  },
})

function findProblem(
  { remedy }: Diagnosis,
  { verdict, policy, back }: { verdict: string; policy: Finding[] | null; back: Finding[] },
) {
  if (remedy) {
    const commands = remedy.commands.map((command) => `\n  ${command}`).join('')
    const hint = plain(wordFinding(remedy.advice)) + commands
    return { code: 'origin_not_trusted', message: verdict, hint }
  }
  const [blocked] = (policy ?? []).filter(isBad)
  if (blocked) return { code: 'policy_blocks', message: wordFinding(blocked) }
  const [astray] = back.filter(isBad)
  return astray && { code: 'return_url_not_allowed', message: wordFinding(astray) }
}

const isBad = ({ weight }: Finding) => weight === 'bad'

function present(findings: Finding[]) {
  return { ok: !findings.some(isBad), findings: findings.map((each) => wordFinding(each)) }
}

function sentences(title: string, findings: Finding[]): string {
  return [title, ...findings.map((each) => `  ${plain(wordFinding(each))}`)].join('\n')
}
