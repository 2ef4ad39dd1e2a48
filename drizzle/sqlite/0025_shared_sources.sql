CREATE TABLE `run_sources` (
	`account_code` text NOT NULL,
	`hash` text NOT NULL,
	`source` text NOT NULL,
	PRIMARY KEY(`account_code`, `hash`),
	FOREIGN KEY (`account_code`) REFERENCES `accounts`(`account_code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `run_inputs` ADD `source_hash` text;--> statement-breakpoint
CREATE INDEX `run_inputs_by_source` ON `run_inputs` (`account_code`,`source_hash`);--> statement-breakpoint
insert into run_sources (account_code, hash, source)
	select account_code, 'run ' || id, source from run_inputs where source is not null;
--> statement-breakpoint
update run_inputs set source_hash = 'run ' || id where source is not null;
--> statement-breakpoint
update counters set value = value + 256 * (
	select count(*) from run_sources where run_sources.account_code = counters.account_code
) where name = 'stored byte';
--> statement-breakpoint
ALTER TABLE `run_inputs` DROP COLUMN `source`;