-- Payments that hold an order's money, or may: asked for before a buyer pays for the same order once more. No payment is
-- born into it, so that a creation does not pay for it.
create index payments_holding on payments (merchant_id, merchant_order_id)
  where status in ('authorized', 'paid', 'partially_refunded', 'disputed', 'status_unknown');
