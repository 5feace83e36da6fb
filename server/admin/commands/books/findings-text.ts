/** The words of differences between statements and books. */
import type { Advice, Finding } from '../../../reports/findings.ts'
import type { FileRecord } from '../../../storage/reports/files.ts'
import { moment, table } from '../../layout.ts'
import { DIGEST_SHOWN, money } from './statement-text.ts'

const TODO: Record<Advice, string> = {
  find_its_owner: 'Look for it at the provider. Another system may use the account.',
  ask_about_payment: 'The provider has more than the books. Run payment ask, then payment show.',
  ask_provider: 'The books have more than the provider. Ask the provider for this movement.',
  compare_amounts: 'The amounts differ. Run payment ask, and compare with the provider.',
  compare_currencies: 'The currencies differ. Look at the payment at the provider.',
}

export function filesText(files: FileRecord[]): string {
  const rows = files.map(({ digest, lines, fromAt, untilAt, readAt, withdrawnAt }) => [
    digest.slice(0, DIGEST_SHOWN),
    `${moment(fromAt)} to ${moment(untilAt)}`,
    String(lines),
    moment(readAt),
    withdrawnAt === null ? '' : `withdrawn ${moment(withdrawnAt)}`,
  ])
  return table(['Statement', 'Days', 'Lines', 'Read', ''], rows)
}

export function findingsText(findings: Finding[]): string {
  const rows = findings.map((each) => [
    each.id,
    each.kind.replace('_', ' '),
    money(each.oursMinor, each.currency),
    money(each.theirsMinor, each.theirCurrency),
    placeOf(each),
    each.maybe && each.maybe.length > 0
      ? `Is it ${each.maybe.join(' or ')}? The number is written there, and the amount or another number does not fit.`
      : TODO[each.advice],
  ])
  return table(['Difference', 'Kind', 'Books', 'Statement', 'In the file', 'What to do'], rows)
}

/** A line without an id has a digest for a name, which no person can look up. The file's digest begins as in the list of files. */
const placeOf = ({ statementFile, statementLine, statementDay }: Finding) =>
  [
    statementFile && `${statementFile.slice(0, DIGEST_SHOWN)} line ${statementLine}`,
    statementDay && moment(statementDay),
  ]
    .filter(Boolean)
    .join(', ')
