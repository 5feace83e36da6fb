/** The words of differences between statements and books. */
import type { Advice, Finding } from '../../../reports/findings.ts'
import { table } from '../../layout.ts'
import { money } from './statement-text.ts'

const TODO: Record<Advice, string> = {
  find_its_owner: 'Look for it at the provider. Another system may use the account.',
  ask_about_payment: 'The provider has more than the books. Run payment ask, then payment show.',
  ask_provider: 'The books have more than the provider. Ask the provider for this movement.',
  compare_amounts: 'The amounts differ. Run payment ask, and compare with the provider.',
  compare_currencies: 'The currencies differ. Look at the payment at the provider.',
}

export function findingsText(findings: Finding[]): string {
  const rows = findings.map((each) => [
    each.id,
    each.kind.replace('_', ' '),
    money(each.oursMinor, each.currency),
    money(each.theirsMinor, each.theirCurrency),
    TODO[each.advice],
  ])
  return table(['Difference', 'Kind', 'Books', 'Statement', 'What to do'], rows)
}
