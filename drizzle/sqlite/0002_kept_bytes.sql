CREATE TABLE `idempotency_usage` (
	`account_code` text PRIMARY KEY NOT NULL,
	`held_bytes` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `idempotency_keys` ADD `held_bytes` integer DEFAULT 1024 NOT NULL;--> statement-breakpoint
UPDATE `idempotency_keys` SET `held_bytes` = 1024 + coalesce(length(`answer`), 0) + (
	SELECT coalesce(sum(1024 + octet_length(`result`)), 0) FROM `idempotency_steps` AS s
	WHERE s.`account_code` = `idempotency_keys`.`account_code` AND s.`key` = `idempotency_keys`.`key`
);
--> statement-breakpoint
INSERT INTO `idempotency_usage` SELECT `account_code`, sum(`held_bytes`) FROM `idempotency_keys` GROUP BY `account_code`;
