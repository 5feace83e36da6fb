/** Where each table is in the picture of the schema. A new table needs a place here, or the picture cannot be drawn. */

export type Family = {
  title: string
  side: 'left' | 'right'
  tables: string[]
}

/** One family a row, from top to bottom on each side. */
const SHARED: Family[] = [
  {
    title: 'Merchants and their sites',
    side: 'left',
    tables: ['merchants', 'origins', 'domain_requests', 'domain_reviews', 'onboarding_evidence'],
  },
  {
    title: 'The deployment',
    side: 'left',
    tables: ['migrations', 'processes', 'backups', 'moves', 'incoming_moves', 'widget_releases', 'pictures'],
  },
  {
    title: 'People, and what they did',
    side: 'right',
    tables: [
      'operators',
      'console_users',
      'sign_in_links',
      'sign_in_steps',
      'passkeys',
      'passwords',
      'recovery_codes',
      'console_sessions',
      'shared_buckets',
      'unknown_sign_ins',
      'proposals',
      'approval_limits',
      'audit_log',
      'audit_checkpoints',
      'revocations',
    ],
  },
]

const OF_A_WORLD: Family[] = [
  {
    title: 'Payments',
    side: 'left',
    tables: [
      'payments',
      'attempts',
      'entries',
      'payment_changes',
      'payment_transitions',
      'payment_warnings',
      'bank_references',
      'idempotency_keys',
      'payment_search',
      'search_positions',
      'pruned',
    ],
  },
  {
    title: 'Operations and fiscal receipts',
    side: 'left',
    tables: [
      'operations',
      'operation_changes',
      'operation_transitions',
      'receipts',
      'receipt_changes',
      'receipt_transitions',
      'fiscal_transitions',
      'fiscal_registers',
    ],
  },
  {
    title: 'Saved methods and subscriptions',
    side: 'left',
    tables: ['saved_methods', 'saving_money', 'subscriptions', 'subscription_charges'],
  },
  {
    title: 'The order book, and mails',
    side: 'left',
    tables: [
      'order_books',
      'orders',
      'order_changes',
      'order_links',
      'order_payments',
      'order_cases',
      'mails',
      'desk_told',
    ],
  },
  {
    title: 'What a shop sells, and its keys',
    side: 'right',
    tables: ['products', 'installations', 'short_addresses', 'api_keys', 'merchant_routes'],
  },
  {
    title: 'Events',
    side: 'right',
    tables: ['receivers', 'webhook_secrets', 'callback_checks', 'events', 'deliveries'],
  },
  {
    title: 'Accounts at providers, and their statements',
    side: 'right',
    tables: [
      'accounts',
      'account_merchants',
      'account_credentials',
      'account_health',
      'account_facts',
      'recorded_calls',
      'statement_formats',
      'statements',
      'statement_lines',
      'statement_findings',
      'account_revision',
      'order_numbers',
      'order_secret',
      'provider_exchanges',
    ],
  },
  {
    title: 'After a restore',
    side: 'right',
    tables: ['restores', 'restore_checks', 'unknown_orders'],
  },
  {
    title: 'The simulated bank and cash register',
    side: 'right',
    tables: [
      'sandbox_orders',
      'sandbox_callbacks',
      'sandbox_customers',
      'sandbox_cards',
      'sandbox_receipts',
      'sandbox_clock',
      'sandbox_workers',
    ],
  },
]

/** The schemas from top to bottom. */
export const SCHEMAS = [
  { schema: 'kassa', title: 'Schema kassa: what both worlds share', families: SHARED },
  { schema: 'sandbox', title: 'Schemas sandbox and live: the same in both', families: OF_A_WORLD },
]
