/** Written by `npm run generate -- tables` from a migrated database: the rows as `pg` returns them, and the words that it accepts. */
import type { CurrencyCode, Customer, Metadata, ProviderRoute } from '../contract/fields.ts'
import type { Language } from '../contract/languages.ts'
import type { SavedCard } from '../contract/payment-method-token.ts'

/** By domain, or by table and column. */
export const WORDS = {
  'account_facts.source': ['test', 'answer'],
  'account_health.refusal': ['credentials', 'rights', 'account'],
  'account_health.state': ['ok', 'refusing', 'unopenable', 'away', 'unclear'],
  'approval_limits.world': ['sandbox', 'live'],
  attempt_state: ['planned', 'opening', 'open', 'paid', 'declined', 'cancelled', 'expired', 'withdrawn', 'lost', 'refused'],
  'declined_limits.world': ['sandbox', 'live'],
  entry_kind: ['held', 'released', 'taken', 'taken_back', 'refunded', 'refund_failed', 'dispute_opened', 'dispute_won', 'dispute_lost', 'dispute_regained', 'unmatched', 'matched', 'over_returned'],
  event_state: ['pending', 'delivered', 'exhausted', 'unaddressed'],
  fiscal_status: ['not_required', 'pending', 'issued', 'failed', 'refunded', 'partially_refunded', 'correction_required'],
  'mails.kind': ['paid', 'refunded', 'refund_failed', 'account_health', 'audit_checkpoint', 'order_news', 'order_test', 'desk_cases', 'transfer', 'transfer_reminder', 'address_changed', 'approval_waits', 'invitation'],
  'mails.state': ['waiting', 'sent', 'failed', 'withheld'],
  'onboarding_evidence.step': ['callback_verified', 'test_payment'],
  'operation_changes.cause': ['request', 'service', 'provider', 'operator'],
  'operations.cause': ['request', 'service'],
  'operations.status': ['blocked', 'queued', 'processing', 'succeeded', 'failed', 'requires_provider_contract', 'requires_operator_review'],
  'operations.type': ['refund', 'capture', 'void', 'fiscal_retry', 'tokenization_intent', 'token_revoke', 'subscription_create', 'subscription_cancel'],
  'operators.role': ['administrator', 'operator', 'shop', 'cashier', 'viewer'],
  'order_books.told': ['at_once', 'daily'],
  'order_cases.kind': ['unknown', 'review', 'refund_failed', 'warning'],
  'order_changes.kind': ['deliver', 'ask', 'note', 'moved', 'answered', 'remark'],
  'order_changes.news': ['sale', 'refund', 'dispute', 'case'],
  'orders.decision': ['deliver', 'ask'],
  'orders.way': ['new', 'packed', 'sent', 'done', 'cancelled'],
  payment_cause: ['request', 'provider', 'operation', 'expiry', 'operator'],
  payment_status: ['created', 'pending_redirect', 'pending_payment', 'authorized', 'paid', 'failed', 'cancelled', 'reversed', 'partially_refunded', 'refunded', 'expired', 'status_unknown', 'disputed'],
  'pictures.type': ['image/png', 'image/webp'],
  'proposals.failure': ['changed_meanwhile', 'impossible'],
  'proposals.state': ['open', 'granted', 'done', 'refused'],
  'proposals.world': ['sandbox', 'live'],
  'receipts.kind': ['sale', 'refund'],
  'receipts.status': ['waiting', 'printing', 'issued', 'failed', 'unclear', 'cancelled'],
  'restore_checks.kind': ['payment', 'subscription'],
  'saved_methods.status': ['pending', 'active', 'cancelled', 'failed', 'revoked'],
  'search_positions.name': ['fresh', 'late', 'payments'],
  'short_addresses.state': ['asked', 'approved', 'retired'],
  'statement_findings.kind': ['missing_here', 'missing_there', 'differing'],
  'statement_findings.side': ['taken', 'returned', 'disputed'],
  'statement_lines.kind': ['taken', 'returned', 'disputed', 'fee', 'payout', 'other'],
  'subscription_charges.state': ['open', 'paid', 'failed', 'lost', 'surplus'],
  'subscriptions.billing_interval': ['day', 'week', 'month', 'quarter', 'year'],
  'subscriptions.cancel_reason': ['requested', 'retries_exhausted', 'hard_decline', 'token_revoked'],
  'subscriptions.status': ['incomplete', 'active', 'past_due', 'cancelled'],
  'unknown_orders.source': ['callback', 'return'],
  'write_results.state': ['pending', 'done', 'failed'],
  'write_results.write': ['refund', 'capture'],
} as const
export type Word<Name extends keyof typeof WORDS> = (typeof WORDS)[Name][number]

export type Rows = {
  account_credentials: {
    accountId: string
    name: string
    keyId: string
    sealed: Buffer
  }
  account_facts: {
    accountId: string
    name: string
    value: unknown
    reason: string
    source: Word<'account_facts.source'>
    learnedAt: Date
  }
  account_health: {
    accountId: string
    state: Word<'account_health.state'>
    since: Date
    unwellSince: Date | null
    reason: string | null
    refusal: Word<'account_health.refusal'> | null
    dueAt: Date | null
    checks: number
    reportedState: string
    refusedTaking: boolean
    triedAt: Date | null
  }
  account_merchants: {
    accountId: string
    merchantId: string
    allowedAt: Date
  }
  account_revision: {
    singleRow: boolean
    revision: number
  }
  accounts: {
    id: string
    route: ProviderRoute
    driver: string
    owner: string | null
    currencies: CurrencyCode[]
    settings: unknown
    identity: string
    shared: boolean
    version: number
    activeFrom: Date
    retiredAt: Date | null
    superseded: boolean
    refusedAt: Date | null
    refusedReason: string | null
    callbackSeenAt: Date | null
    settledQuestionsPausedUntil: Date | null
  }
  api_keys: {
    merchantId: string
    id: string
    digest: Buffer
    scopes: string[]
    createdAt: Date
    expiresAt: Date | null
    revokedAt: Date | null
    issuedBy: string | null
    refundLimits: unknown
    refundLimitsDay: unknown
    isApproved: boolean
    waitsSince: Date | null
    listedSince: Date | null
    countsAs: string | null
  }
  approval_limits: {
    world: Word<'approval_limits.world'>
    currency: string
    limitMinor: number
  }
  attempts: {
    merchantId: string
    paymentId: string
    number: number
    provider: ProviderRoute
    accountId: string
    reference: string
    state: Word<'attempt_state'>
    providerState: unknown
    checkoutUrl: string | null
    form: unknown
    leaseUntil: Date | null
    mayAppearUntil: Date | null
    openedAt: Date | null
    expiresAt: Date
    authorizedMinor: number
    capturedMinor: number
    refundedMinor: number
    disputedMinor: number
    disputeLostMinor: number
    facts: unknown
    underWaySince: Date | null
    questionDueAt: Date | null
    questionAttempts: number
    askedAt: Date | null
    finalizingUntil: Date | null
    allowedAt: Date | null
    proof: unknown
    createdAt: Date
  }
  audit_checkpoints: {
    at: Date
    seq: number
    digest: string
    publicKey: string
    signature: string
    isGuarded: boolean | null
    revocations: number | null
    guardSignature: string | null
    place: string | null
    watch: string | null
    migrations: number | null
  }
  backups: {
    madeAt: Date
    directory: string
  }
  bank_references: {
    accountId: string
    reference: string
    referenceKey: string
    merchantId: string
    paymentId: string
    createdAt: Date
  }
  callback_checks: {
    merchantId: string
    id: string
    url: string
    accepted: boolean
    statusCode: number | null
    durationMs: number
    failure: string | null
    checks: unknown
    createdAt: Date
  }
  cancellations: {
    merchantId: string
    paymentId: string
    key: string
    fingerprint: string
    reason: string
    metadata: Metadata | null
    actor: string | null
    createdAt: Date
  }
  console_sessions: {
    digest: Buffer
    operatorId: string
    seenAt: Date
    endsAt: Date
    moneyProvedAt: Date | null
    redirectProvedAt: Date | null
    redirectNetwork: string | null
  }
  console_users: {
    operatorId: string
    email: string
    merchantId: string | null
    refundLimits: unknown
    refundLimitsDay: unknown
  }
  declined_limits: {
    world: Word<'declined_limits.world'>
    currency: string
    declinedAt: Date
  }
  deliveries: {
    merchantId: string
    eventId: string
    attempt: number
    url: string
    statusCode: number | null
    durationMs: number
    failure: string | null
    responseStart: string | null
    createdAt: Date
  }
  desk_told: {
    singleRow: boolean
    until: Date
  }
  domain_requests: {
    merchantId: string
    origin: string
    askedAt: Date
    refusedAt: Date | null
    refusedWhy: string | null
  }
  domain_reviews: {
    merchantId: string
    origin: string
    approvedAt: Date
  }
  entries: {
    merchantId: string
    paymentId: string
    attempt: number
    number: number
    kind: Word<'entry_kind'>
    amountMinor: number
    currency: CurrencyCode
    providerId: string | null
    proof: string
    movedAt: Date | null
    createdAt: Date
  }
  events: {
    merchantId: string
    id: string
    paymentId: string
    sequence: number
    status: Word<'payment_status'>
    body: string
    state: Word<'event_state'>
    attempts: number
    createdAt: Date
    deliveredAt: Date | null
    dueAt: Date | null
    leaseUntil: Date | null
    scheduleFrom: number
    replayedAt: Date | null
  }
  fiscal_registers: {
    register: string
    lastSequence: number
    leaseHolder: string | null
    leaseUntil: Date | null
    skippedAt: Date | null
  }
  fiscal_transitions: {
    fromStatus: string
    toStatus: string
  }
  idempotency_keys: {
    merchantId: string
    scope: string
    key: string
    fingerprint: string
    paymentId: string
    uses: number
    createdAt: Date
  }
  incoming_moves: {
    moveId: string
    startedAt: Date
  }
  installations: {
    merchantId: string
    id: string
    publicKey: string
    origins: string[]
    returnUrl: string | null
    shopUrl: string | null
    provider: ProviderRoute | null
    createdAt: Date
    revokedAt: Date | null
    skipsCheckout: boolean
  }
  log: {
    seq: number
    at: Date
    act: string | null
    who: string
    operatorId: string | null
    origin: string
    what: string
    world: string | null
    merchantId: string | null
    about: string
    before: string | null
    after: string | null
    previous: string
    digest: string
  }
  mails: {
    merchantId: string
    id: string
    paymentId: string | null
    recipientHash: number | null
    kind: Word<'mails.kind'>
    amountMinor: number | null
    refundedMinor: number | null
    notice: unknown
    state: Word<'mails.state'>
    attempts: number
    dueAt: Date | null
    failure: string | null
    createdAt: Date
    endedAt: Date | null
  }
  merchant_routes: {
    merchantId: string
    routes: unknown
    changedAt: Date
  }
  merchants: {
    id: string
    name: string
    branding: unknown
    createdAt: Date
    state: string
    stoppedAt: Date | null
    stoppedWhy: string | null
  }
  migrations: {
    schema: string
    name: string
    digest: string
    oldestVersion: string
    appliedBy: string
    appliedAt: Date
  }
  moves: {
    id: string
    target: string
    startedAt: Date
    fencedAt: Date | null
    finishedAt: Date | null
  }
  onboarding_evidence: {
    merchantId: string
    step: Word<'onboarding_evidence.step'>
    evidence: string
    recordedAt: Date
  }
  operation_changes: {
    merchantId: string
    operationId: string
    id: number
    fromStatus: Word<'operations.status'> | null
    toStatus: Word<'operations.status'>
    cause: Word<'operation_changes.cause'>
    actor: string | null
    detail: string | null
    createdAt: Date
  }
  operation_transitions: {
    fromStatus: string
    toStatus: string
  }
  operations: {
    merchantId: string
    id: string
    type: Word<'operations.type'>
    paymentId: string | null
    attempt: number | null
    savedMethodId: string | null
    subscriptionId: string | null
    cause: Word<'operations.cause'>
    provider: ProviderRoute
    accountId: string | null
    providerOperationId: string | null
    status: Word<'operations.status'>
    statusReason: string | null
    amountMinor: number | null
    currency: CurrencyCode | null
    reason: string | null
    metadata: Metadata | null
    scope: string
    key: string
    fingerprint: string
    snapshotBefore: unknown
    sentAt: Date | null
    sendCount: number
    lastPendingAt: Date | null
    revertedAt: Date | null
    dueAt: Date | null
    attempts: number
    createdAt: Date
    updatedAt: Date
    counted: unknown
    notTakenSince: Date | null
    refusedTimes: number
  }
  operators: {
    id: string
    name: string
    role: Word<'operators.role'>
    keyDigest: Buffer | null
    createdAt: Date
    removedAt: Date | null
    waitsSince: Date | null
  }
  order_books: {
    merchantId: string
    email: string | null
    locale: string
    told: Word<'order_books.told'>
    silent: string[]
    changedAt: Date
  }
  order_cases: {
    merchantId: string
    kind: Word<'order_cases.kind'>
    subject: string
    paymentId: string
    at: Date
    mailId: string | null
  }
  order_changes: {
    merchantId: string
    orderId: string
    number: number
    at: Date
    kind: Word<'order_changes.kind'>
    paymentId: string | null
    sequence: number | null
    status: Word<'payment_status'> | null
    amountMinor: number | null
    why: string | null
    by: string | null
    toWay: Word<'orders.way'> | null
    remark: string | null
    news: Word<'order_changes.news'> | null
    mailId: string | null
  }
  order_links: {
    digest: string
    merchantId: string
    orderId: string | null
    day: Date | null
    expiresAt: Date
    mailId: string | null
  }
  order_numbers: {
    accountId: string
    lastNumber: number
    skippedAt: Date | null
  }
  order_payments: {
    merchantId: string
    paymentId: string
    reference: string
    sequence: number
    status: Word<'payment_status'>
    amountMinor: number
    capturedMinor: number
    refundedMinor: number
    currency: CurrencyCode
    buyer: unknown
    takenBack: boolean
    dueAt: Date | null
    eventAt: Date
  }
  order_secret: {
    singleRow: boolean
    secret: Buffer
  }
  orders: {
    merchantId: string
    id: string
    reference: string
    paymentId: string
    number: string
    title: string | null
    productId: string | null
    quantity: number
    decision: Word<'orders.decision'> | null
    question: string | null
    way: Word<'orders.way'>
    changes: number
    createdAt: Date
  }
  origins: {
    merchantId: string
    origin: string
    createdAt: Date
  }
  passkeys: {
    id: string
    operatorId: string
    publicKey: Buffer
    counter: number
    host: string
    transports: string[]
    createdAt: Date
    usedAt: Date | null
  }
  passwords: {
    operatorId: string
    hash: string
    keyId: string
    sealed: Buffer
    usedStep: number
    burntSteps: string[]
    changedAt: Date
  }
  payment_changes: {
    merchantId: string
    paymentId: string
    version: number
    fromStatus: Word<'payment_status'>
    toStatus: Word<'payment_status'>
    cause: Word<'payment_cause'>
    actor: string | null
    detail: string | null
    createdAt: Date
  }
  payment_search: {
    paymentId: string
    merchantId: string
    version: number
    amountMinor: number
    createdAt: Date
    words: string
  }
  payment_transitions: {
    fromStatus: string
    toStatus: string
  }
  payment_warnings: {
    merchantId: string
    paymentId: string
    detail: string
    createdAt: Date
    settledAt: Date | null
    settledBy: string | null
    settledWhy: string | null
    amountMinor: number | null
  }
  payments: {
    merchantId: string
    id: string
    merchantOrderId: string
    attempt: number
    singleAttempt: boolean
    buyerChooses: boolean
    amountMinor: number
    currency: CurrencyCode
    authorizedMinor: number
    capturedMinor: number
    refundedMinor: number
    refundReservedMinor: number
    status: Word<'payment_status'>
    fiscalStatus: Word<'fiscal_status'>
    version: number
    description: string | null
    returnUrl: string | null
    shopUrl: string | null
    customer: Customer | null
    locale: Language | null
    metadata: Metadata | null
    expiresAt: Date
    createdAt: Date
    updatedAt: Date
    merchantCancelledAt: Date | null
    productId: string | null
    quantity: number | null
    periodStart: Date | null
    periodEnd: Date | null
  }
  pictures: {
    id: string
    type: Word<'pictures.type'>
    bytes: Buffer
    createdAt: Date
    unusedSince: Date | null
  }
  processes: {
    id: string
    name: string
    keyIds: string[]
    rotates: boolean
    seenAt: Date
  }
  products: {
    merchantId: string
    id: string
    name: string
    amountMinor: number
    currency: CurrencyCode
    provider: ProviderRoute | null
    display: unknown
    minMinor: number | null
    maxMinor: number | null
    stepMinor: number | null
    suggestedMinor: string[]
    maxQuantity: number
    updatedAt: Date
    removedAt: Date | null
  }
  proposals: {
    id: string
    world: Word<'proposals.world'>
    what: string
    about: string
    merchantId: string | null
    keyId: string | null
    sealed: Buffer | null
    proposedBy: string
    proposedAt: Date
    expiresAt: Date
    state: Word<'proposals.state'>
    decidedBy: string | null
    decidedAt: Date | null
    refusedWhy: string | null
    failure: Word<'proposals.failure'> | null
    secretKeyId: string | null
    secretSealed: Buffer | null
    secretShownAt: Date | null
    amountMinor: number | null
    currency: string | null
  }
  provider_exchanges: {
    id: number
    accountId: string
    subjectId: string | null
    method: string
    url: string
    status: number | null
    failure: string | null
    durationMs: number
    requestBody: string | null
    responseBody: string | null
    createdAt: Date
  }
  pruned: {
    name: string
    position: string
  }
  receipt_changes: {
    merchantId: string
    paymentId: string
    id: number
    receiptId: string
    fromStatus: Word<'receipts.status'> | null
    toStatus: Word<'receipts.status'>
    actor: string | null
    detail: string | null
    createdAt: Date
  }
  receipt_transitions: {
    fromStatus: string
    toStatus: string
  }
  receipts: {
    merchantId: string
    id: string
    paymentId: string
    kind: Word<'receipts.kind'>
    amountMinor: number
    currency: CurrencyCode
    accountId: string
    register: string
    status: Word<'receipts.status'>
    statusReason: string | null
    number: string | null
    url: string | null
    sequence: number | null
    sentAt: Date | null
    operationId: string | null
    dueAt: Date | null
    attempts: number
    createdAt: Date
    updatedAt: Date
    printed: unknown
    qr: string | null
    pendingSince: Date | null
  }
  receivers: {
    merchantId: string
    url: string
    failures: number
    failingSince: Date | null
    pausedAt: Date | null
    probeAt: Date | null
    acceptedAt: Date | null
    earlierUntil: Date | null
    takingInUntil: Date | null
  }
  recorded_calls: {
    id: number
    accountId: string
    subjectId: string | null
    call: unknown
    createdAt: Date
  }
  recovery_codes: {
    digest: Buffer
    operatorId: string
  }
  refund_refusals: {
    merchantId: string
    tokenId: string
    currency: CurrencyCode
    paymentId: string
    amountMinor: number
    calls: number
    since: Date
    lastAt: Date
    settledAt: Date | null
    settledBy: string | null
    settledWhy: string | null
  }
  restore_checks: {
    merchantId: string
    id: string
    kind: Word<'restore_checks.kind'>
    accountId: string
    blocksOperations: boolean
    before: unknown
    after: unknown
    dueAt: Date | null
    attempts: number
    problem: string | null
  }
  restores: {
    restoredAt: Date
    backupAt: Date
    skippedNumbers: number
    endedAt: Date | null
    endedBy: string | null
    reason: string | null
    busiestOrders: unknown
    busiestReceipts: unknown
  }
  returned_sums: {
    who: string
    day: Date
    currency: CurrencyCode
    amountMinor: number
    aloneMinor: number
    endsAt: Date | null
  }
  revocations: {
    id: number
    at: Date
    world: string | null
    kind: string
    about: unknown
    values: unknown
    line: number | null
  }
  sandbox_callbacks: {
    reference: string
    number: number
    url: string
    body: string
    dueAt: Date | null
    attempts: number
    statusCode: number | null
    customer: string
  }
  sandbox_cards: {
    reference: string
    body: unknown
    customer: string
  }
  sandbox_clock: {
    singleRow: boolean
    offsetMs: number
    movedBy: string | null
    workersPausedUntil: Date | null
    liveBusyUntil: Date | null
  }
  sandbox_customers: {
    customer: string
    oldest: number
    newest: number
  }
  sandbox_orders: {
    reference: string
    body: unknown
    dueAt: Date | null
    customer: string
  }
  sandbox_receipts: {
    register: string
    sequence: number
    number: number | null
    reference: string
    body: unknown
  }
  sandbox_workers: {
    id: string
    paused: boolean
    seenAt: Date
  }
  saved_methods: {
    merchantId: string
    id: string
    provider: ProviderRoute
    accountId: string
    providerReference: string
    providerState: unknown
    setupUrl: string | null
    leaseUntil: Date | null
    status: Word<'saved_methods.status'>
    customerConsentId: string
    returnUrl: string | null
    customer: Customer | null
    metadata: Metadata | null
    card: SavedCard | null
    operationId: string
    expiresAt: Date
    dueAt: Date | null
    attempts: number
    askedAt: Date | null
    createdAt: Date
    updatedAt: Date
  }
  saving_money: {
    merchantId: string
    savedMethodId: string
    amountMinor: number
    currency: CurrencyCode
    reference: string | null
    heldMinor: number
    takenMinor: number
    returnedMinor: number
  }
  search_positions: {
    name: Word<'search_positions.name'>
    position: string
  }
  shared_buckets: {
    digest: Buffer
    fullAt: Date
  }
  short_addresses: {
    folded: string
    name: string
    merchantId: string
    installationId: string
    productId: string
    state: Word<'short_addresses.state'>
    askedAt: Date
    approvedAt: Date | null
    retiredAt: Date | null
  }
  sign_in_links: {
    operatorId: string
    digest: Buffer
    expiresAt: Date
  }
  sign_in_steps: {
    digest: Buffer
    operatorId: string | null
    challenge: string | null
    expiresAt: Date
  }
  statement_answers: {
    accountId: string
    head: string
    answers: unknown
    answeredAt: Date
  }
  statement_contents: {
    accountId: string
    digest: string
    lineId: string
    line: number
    run: number
  }
  statement_files: {
    accountId: string
    digest: string
    run: number
    lines: number
    fromAt: Date
    untilAt: Date
    reading: string
    readAt: Date
    withdrawnAt: Date | null
    withdrawnBy: string | null
    withdrawnWhy: string | null
  }
  statement_findings: {
    accountId: string
    id: string
    kind: Word<'statement_findings.kind'>
    side: Word<'statement_findings.side'>
    lineId: string | null
    merchantId: string | null
    paymentId: string | null
    attempt: number | null
    oursMinor: number
    theirsMinor: number
    currency: string
    theirCurrency: string
    foundAt: Date
    closedAt: Date | null
    closedBy: string | null
    why: string | null
    withdrawnAt: Date | null
  }
  statement_formats: {
    accountId: string
    format: unknown
    changedAt: Date
  }
  statement_lines: {
    accountId: string
    lineId: string
    at: Date
    kind: Word<'statement_lines.kind'>
    currency: string
    amountMinor: number
    feeMinor: number
    feeCurrency: string
    orderNames: string[]
    movementNames: string[]
    payoutId: string | null
    merchantId: string | null
    paymentId: string | null
    attempt: number | null
    maybe: string[]
  }
  statement_uploads: {
    id: string
    accountId: string
    bytes: Buffer
    createdAt: Date
  }
  statements: {
    accountId: string
    digest: string
    lines: number
    fromAt: Date
    untilAt: Date
    createdAt: Date
  }
  subscription_charges: {
    merchantId: string
    subscriptionId: string
    period: number
    attempt: number
    paymentId: string
    sentAt: Date | null
    request: unknown
    state: Word<'subscription_charges.state'>
    createdAt: Date
    updatedAt: Date
    refusedTimes: number
  }
  subscriptions: {
    merchantId: string
    id: string
    merchantSubscriptionId: string
    provider: ProviderRoute
    accountId: string
    savedMethodId: string
    amountMinor: number
    currency: CurrencyCode
    billingInterval: Word<'subscriptions.billing_interval'>
    description: string
    metadata: Metadata | null
    status: Word<'subscriptions.status'>
    cancelReason: Word<'subscriptions.cancel_reason'> | null
    cancelledAt: Date | null
    anchorAt: Date
    period: number
    nextChargeAt: Date | null
    operationId: string
    dueAt: Date | null
    workAttempts: number
    createdAt: Date
    updatedAt: Date
  }
  unknown_orders: {
    accountId: string
    reference: string
    source: Word<'unknown_orders.source'>
    state: unknown
    providerAnswer: unknown
    reportCount: number
    firstReportedAt: Date
    lastReportedAt: Date
  }
  unknown_sign_ins: {
    day: Date
    network: string
    tries: number
    lastSubject: string
    lastAt: Date
  }
  used_numbers: {
    accountId: string
    used: string
    skipped: unknown
  }
  webhook_secrets: {
    merchantId: string
    id: string
    keyId: string
    sealed: Buffer
    createdAt: Date
    expiresAt: Date | null
  }
  widget_releases: {
    version: string
    script: Buffer
    brotli: Buffer
    gzip: Buffer
    releasedAt: Date
  }
  write_results: {
    merchantId: string
    paymentId: string
    attempt: number
    write: Word<'write_results.write'>
    name: string
    key: string | null
    providerId: string | null
    state: Word<'write_results.state'>
    amountMinor: number
    heardAt: Date
  }
}
