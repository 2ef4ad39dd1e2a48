CREATE TABLE `case_types` (
	`account_code` text NOT NULL,
	`code` text NOT NULL,
	`indexed_fields` text NOT NULL,
	`written_fields` text NOT NULL,
	`revision` integer NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `code`),
	FOREIGN KEY (`account_code`) REFERENCES `accounts`(`account_code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `cases` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`case_type_code` text NOT NULL,
	`data` text NOT NULL,
	`data_bytes` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`,`case_type_code`) REFERENCES `case_types`(`account_code`,`code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `cases_by_type` ON `cases` (`account_code`,`case_type_code`,`id`);--> statement-breakpoint
CREATE TABLE `case_values` (
	`account_code` text NOT NULL,
	`case_type_code` text NOT NULL,
	`field` text NOT NULL,
	`value` text NOT NULL,
	`case_id` integer NOT NULL,
	PRIMARY KEY(`account_code`, `case_type_code`, `field`, `value`, `case_id`),
	FOREIGN KEY (`account_code`,`case_id`) REFERENCES `cases`(`account_code`,`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `case_values_by_case` ON `case_values` (`account_code`,`case_id`);--> statement-breakpoint
CREATE TABLE `case_leases` (
	`account_code` text NOT NULL,
	`case_id` integer NOT NULL,
	`holder` text NOT NULL,
	`held_until` integer NOT NULL,
	PRIMARY KEY(`account_code`, `case_id`)
);
--> statement-breakpoint
CREATE TABLE `case_events` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`kind` text NOT NULL,
	`case_id` integer NOT NULL,
	`case_type_code` text NOT NULL,
	`version` integer NOT NULL,
	`changed_fields` text,
	`long_fields` text,
	`changed_bytes` integer NOT NULL,
	`by_user_id` integer,
	`by_email` text,
	`function_name` text,
	`transaction_id` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `id`)
);
--> statement-breakpoint
CREATE INDEX `case_events_by_case` ON `case_events` (`account_code`,`case_id`,`id`);