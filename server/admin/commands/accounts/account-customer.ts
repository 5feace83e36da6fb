/** `account customer`: credentials at the simulated bank. */
import { bankCustomerSecret } from '../../../operator/bank-customer.ts'
import { ADMIN, verb } from '../../command.ts'
import { count, required } from '../../flag.ts'
import { pairs, paragraphs } from '../../layout.ts'

const VERSIONS_MAX = 1_000

export const customer = verb({
  name: 'customer',
  needs: 'operator',
  summary: 'Show the secret of a customer of the simulated bank (sandbox)',
  flags: {
    customer: required('NAME', 'any name, such as shop-7'),
    version: count('N', 'the version of the secret; a higher one is newer', {
      max: VERSIONS_MAX,
      fallback: 1,
    }),
  },
  examples: ['--customer shop-7', '--customer shop-7 --version 2'],
  async run(ctx, { customer: name, version }) {
    const secret = bankCustomerSecret(ctx, name, version)
    return {
      json: { customer: name, version, secret },
      text: paragraphs(
        pairs([
          ['Customer', name],
          ['Secret', secret],
        ]),
        `Use it: ${ADMIN} account set --merchant ID --route route_a --driver sandbox --set CUSTOMER=${name} --set SECRET=@FILE`,
      ),
    }
  },
})
